import { useEffect, useState } from 'react';
import type { ComponentProps } from 'react';
import * as z from 'zod/mini';
import { buildText } from '../messages/en/workflow-build.js';
import { workflowText } from '../messages/en/workflows.js';
import { mayAct } from '../parts/own-role.js';
import { useSentence } from '../parts/filter/use-sentence.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { Callout } from '../ui/states.js';
import { Builder } from './builder.js';
import { draftGraph } from './draft.js';
import { LazyOutline } from './lazy-outline.js';
import { titlesOf } from './step-words.js';
import { useView, views } from './view-tabs.js';
import { WorkflowFrame } from './workflow-frame.js';
import type { Workflow } from './workflow-status.js';

/** What of this screen stands in the address. */
const searchPart = z.object({
  step: z.optional(z.string().check(z.maxLength(64))),
  view: z.optional(z.enum(views)),
  /** The mail of the step is open in its editor, */
  mail: z.optional(z.boolean()),
  /** and this subscriber's copy is shown there. */
  as: z.optional(z.string().check(z.maxLength(320))),
});

/** The steps of a workflow, and the draft while it is changed. */
export function WorkflowBuildPage() {
  const [search, setSearch] = useScreenSearch(searchPart);
  const view = useView(search.view);
  useEffect(() => {
    // Its code loads while the workflow is read.
    if (view === 'graph' && mayAct('editor')) void import('./flow-canvas.js');
    else void import('./outline-list.js');
  }, [view]);
  const select = (step: string | undefined) => setSearch({ step, mail: undefined, as: undefined }, { replace: true });
  return (
    <WorkflowFrame>
      {(workflow) =>
        mayAct('editor') && workflow.status !== 'ARCHIVED' ? (
          <Building
            key={workflow.id}
            workflow={workflow}
            step={search.step}
            view={view}
            onSelect={select}
            isMailOpen={search.mail === true}
            person={{
              subscriberId: search.as,
              onChange: (as) => setSearch({ as }, { replace: true }),
            }}
            onMail={(isOpen) => setSearch({ mail: isOpen || undefined, as: undefined })}
            onView={(next) => setSearch({ view: next }, { replace: true })}
          />
        ) : (
          <Reading workflow={workflow} step={search.step} onSelect={select} />
        )
      }
    </WorkflowFrame>
  );
}

interface Shown {
  workflow: Workflow;
  step: string | undefined;
  onSelect: (step: string | undefined) => void;
}

function Building(props: Omit<ComponentProps<typeof Builder>, 'start'>) {
  // Reads that follow own saves must not touch what is being changed.
  const [start] = useState(props.workflow);
  return <Builder {...props} start={start} />;
}

function Reading({ workflow, step, onSelect }: Shown) {
  const graph = draftGraph(workflow);
  const sentence = useSentence();
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <Callout tone="plain">{buildText(workflow.status === 'ARCHIVED' ? 'archived' : 'readOnly')}</Callout>
      {graph.steps.length === 0 ? (
        <p className="text-soft">{workflowText('start.empty')}</p>
      ) : (
        <LazyOutline
          graph={graph}
          titleOf={titlesOf(graph, sentence)}
          selected={step}
          onSelect={onSelect}
          noteOf={() => null}
        />
      )}
    </div>
  );
}
