import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { number } from '../messages/format.js';
import { runText } from '../messages/en/workflow-runs.js';
import { workflowText } from '../messages/en/workflows.js';
import { CopyAs } from '../parts/copy-as.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { useSentence } from '../parts/filter/use-sentence.js';
import { mayAct } from '../parts/own-role.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { Button } from '../ui/button.js';
import { Choice } from '../ui/field.js';
import { Section } from '../ui/section.js';
import { Skeleton } from '../ui/states.js';
import { graphOf, publishedGraph, withMails } from './draft.js';
import { bucketOf, countsAt, firstDay } from './flow-days.js';
import type { Flow } from './flow-days.js';
import type { FlowGraph } from './flow-graph.js';
import { FlowSlider } from './flow-slider.js';
import { LazyOutline } from './lazy-outline.js';
import { RunList } from './run-list.js';
import { runStatuses } from './run-words.js';
import { titlesOf } from './step-words.js';
import { useView, views, ViewTabs } from './view-tabs.js';
import { WorkflowFrame } from './workflow-frame.js';
import type { Workflow } from './workflow-status.js';

const EnrolDialog = lazy(async () => ({ default: (await import('./enrol-dialog.js')).EnrolDialog }));
const FlowCanvas = lazy(async () => ({ default: (await import('./flow-canvas.js')).FlowCanvas }));

const spans = [7, 30, 90] as const;

/** What of this screen stands in the address. */
const searchPart = z.object({
  step: z.optional(z.string().check(z.maxLength(64))),
  status: z.optional(z.enum(runStatuses)),
  version: z.optional(z.int().check(z.minimum(1))),
  at: z.optional(z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/))),
  span: z.optional(z.literal(spans)),
  view: z.optional(z.enum(views)),
});
type Search = z.output<typeof searchPart>;
type SetSearch = (change: Partial<Search>) => void;

/** Where the subscribers of a workflow are and were, and who they are. */
export function WorkflowRunsPage() {
  const [search, setSearch] = useScreenSearch(searchPart);
  const change: SetSearch = (part) => setSearch(part, { replace: true });
  return (
    <WorkflowFrame>
      {(workflow) => <Runs key={workflow.id} workflow={workflow} search={search} onSearch={change} />}
    </WorkflowFrame>
  );
}

interface Props {
  workflow: Workflow;
  search: Search;
  onSearch: SetSearch;
}

function Runs({ workflow, search, onSearch }: Props) {
  const sentence = useSentence();
  const graph = withMails(publishedGraph(workflow) ?? { steps: [], edges: [] }, workflow);
  const titleOf = titlesOf(graph, sentence);
  const { step, status, version } = search;
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Stats workflow={workflow} titleOf={titleOf} graph={graph} />
      {graph.steps.length > 0 && (
        <FlowOverTime workflow={workflow} graph={graph} titleOf={titleOf} {...{ search, onSearch }} />
      )}
      <Section
        title={step === undefined ? runText('list') : runText('list.at', { step: titleOf(step) })}
        actions={
          <>
            {step !== undefined && (
              <Button small onClick={() => onSearch({ step: undefined })}>
                {runText('list.clear')}
              </Button>
            )}
            <CopyAs tool="list_workflow_runs" input={{ workflowId: workflow.id, ...(step && { stepId: step }) }} />
          </>
        }
      >
        <StatusTabs
          label={runText('status')}
          value={status ?? 'ALL'}
          onChange={(value) => onSearch({ status: value === 'ALL' ? undefined : value })}
          tabs={[
            { value: 'ALL', label: runText('all') },
            ...runStatuses.map((value) => ({ value, label: runText(`status.${value}`) })),
          ]}
        />
        <RunList
          workflow={workflow}
          step={step}
          status={status}
          version={version}
          onClear={() => onSearch({ step: undefined, status: undefined, version: undefined })}
        />
      </Section>
    </div>
  );
}

/** The numbers since the first version, and the way to add subscribers. */
function Stats({
  workflow,
  graph,
  titleOf,
}: {
  workflow: Workflow;
  graph: FlowGraph;
  titleOf: (id: string) => string;
}) {
  const [isOpen, setOpen] = useState(false);
  const isActive = workflow.status === 'ACTIVE';
  const names = ['enrolled', 'completed', 'canceled', 'failed', 'conversions'] as const;
  return (
    <section aria-label={runText('stats')} className="flex flex-wrap items-start justify-between gap-4">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {names.map((name) => (
          <div key={name}>
            <dt className="text-sm text-soft">{runText(name)}</dt>
            <dd className="text-lg font-semibold tabular">{number(workflow.stats[name])}</dd>
          </div>
        ))}
      </dl>
      {mayAct('editor') && workflow.published !== null && (
        <div className="flex max-w-sm flex-col items-end gap-1">
          <Button look="primary" icon="plus" disabled={!isActive} data-compose="" onClick={() => setOpen(true)}>
            {runText('enrol')}
          </Button>
          {!isActive && (
            <p className="text-end text-sm text-soft">
              {runText('enrol.inactive', { status: workflowText(`status.${workflow.status}`) })}
            </p>
          )}
        </div>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <EnrolDialog
            workflowId={workflow.id}
            steps={graph.steps.filter(({ type }) => type !== 'TRIGGER').map(({ id }) => ({ id, title: titleOf(id) }))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </section>
  );
}

type FlowProps = Props & { graph: FlowGraph; titleOf: (id: string) => string };

/** The steps with who waited at each on a day, and the slider that chooses the day. */
function FlowOverTime(props: FlowProps) {
  const { workflow, search, onSearch } = props;
  const { span = 30, version } = search;
  const [now] = useState(() => Date.now());
  const { data, error, refetch } = useQuery(
    queries.get_workflow_flow({
      workflowId: workflow.id,
      from: firstDay(span, now),
      ...(version !== undefined && { version }),
    }),
  );
  const view = useView(search.view);
  const sentence = useSentence();
  const own = data?.graph ? withMails(graphOf(data.graph), workflow) : null;
  const ofVersion = own && { graph: own, titleOf: titlesOf(own, sentence) };
  const latest = workflow.published?.version ?? 1;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <ViewTabs view={view} onChange={(next) => onSearch({ view: next })} />
        <span className="ms-auto" />
        {latest > 1 && (
          <Choice
            aria-label={runText('version')}
            value={version ?? ''}
            options={[
              { value: '', label: runText('version.all') },
              ...Array.from({ length: Math.min(latest, 50) }, (_, place) => latest - place).map((one) => ({
                value: String(one),
                label: `${runText('version')} ${one}`,
              })),
            ]}
            onChange={({ target }) => onSearch({ version: target.value === '' ? undefined : Number(target.value) })}
            className="w-36"
          />
        )}
        <Choice
          aria-label={runText('span')}
          value={span}
          options={spans.map((value) => ({ value: String(value), label: runText(`span.${value}`) }))}
          onChange={({ target }) => onSearch({ span: Number(target.value) as (typeof spans)[number], at: undefined })}
          className="w-36"
        />
      </div>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} isStale={data !== undefined} />}
      {data ? <Steps {...props} {...ofVersion} flow={data} view={view} /> : !error && <Skeleton className="h-80" />}
    </div>
  );
}

function Steps({
  flow,
  view,
  graph,
  titleOf,
  search,
  onSearch,
}: FlowProps & { flow: Flow; view: 'outline' | 'graph' }) {
  const place = bucketOf(flow, search.at);
  const shown = {
    graph,
    titleOf,
    selected: search.step,
    onSelect: (step: string) => onSearch({ step: step === search.step ? undefined : step }),
    noteOf: (id: string) => {
      const { waiting, entered } = countsAt(flow, id, place);
      return (
        <span className="flex shrink-0 gap-2 text-sm text-soft tabular">
          {entered > 0 && <span>{runText('flow.entered', { count: entered })}</span>}
          {waiting > 0 && <span className="font-medium text-ink">{runText('flow.waiting', { count: waiting })}</span>}
        </span>
      );
    },
  };
  return (
    <>
      <FlowSlider flow={flow} place={place} onChange={(at) => onSearch({ at })} />
      {view === 'outline' ? (
        <LazyOutline {...shown} />
      ) : (
        <div className="h-[28rem] overflow-hidden rounded-lg border border-line bg-ground">
          <Suspense fallback={<Skeleton className="h-full" />}>
            <FlowCanvas {...shown} />
          </Suspense>
        </div>
      )}
    </>
  );
}
