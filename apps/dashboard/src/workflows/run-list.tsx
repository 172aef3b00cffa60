import { lazy, Suspense, useState } from 'react';
import { pages } from '../data/tools.calls.js';
import { date, dateTime } from '../messages/format.js';
import { runText } from '../messages/en/workflow-runs.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { EmptyState } from '../ui/states.js';
import { RunBadge } from './run-words.js';
import type { ListedRun, RunStatus } from './run-words.js';
import { useVersionTitles } from './use-version-titles.js';
import type { Workflow } from './workflow-status.js';

const RunDialog = lazy(async () => ({ default: (await import('./run-dialog.js')).RunDialog }));

const columnsOf = (workflow: Workflow): readonly Column<ListedRun>[] => [
  {
    id: 'subscriber',
    header: runText('subscriber'),
    width: 'minmax(0, 1.5fr)',
    cell: ({ subscriber }) => subscriber?.email ?? runText('gone'),
  },
  {
    id: 'status',
    header: runText('status'),
    width: '7rem',
    phone: 'aside',
    cell: (run) => <RunBadge status={run.status} />,
  },
  {
    id: 'step',
    header: runText('step'),
    phone: 'detail',
    cell: (run) => <RunStep run={run} workflow={workflow} />,
  },
  {
    id: 'until',
    header: runText('until'),
    width: '12rem',
    align: 'end',
    phone: 'detail',
    cell: ({ nextActionAt, finishedAt }) => (
      <span className="text-soft">
        {nextActionAt !== null
          ? dateTime(nextActionAt)
          : finishedAt !== null
            ? runText('ended', { date: date(finishedAt) })
            : runText('nothing')}
      </span>
    ),
  },
  {
    id: 'started',
    header: runText('started'),
    width: '7rem',
    align: 'end',
    cell: ({ startedAt }) => <span className="text-soft">{date(startedAt)}</span>,
  },
];

/** The step of a run, named as in the version that it began with. */
function RunStep({ run: { currentStep, version }, workflow }: { run: ListedRun; workflow: Workflow }) {
  const titleOf = useVersionTitles(workflow, version);
  return <span dir="auto">{currentStep.name ?? titleOf(currentStep.id)}</span>;
}

function OpenedRun({ run, workflow, onClose }: { run: ListedRun; workflow: Workflow; onClose: () => void }) {
  const titleOf = useVersionTitles(workflow, run.version);
  return (
    <Suspense fallback={null}>
      <RunDialog run={run} titleOf={titleOf} onClose={onClose} />
    </Suspense>
  );
}

/** The runs of a workflow, or those at one step: who waits there till when. A row opens its history. */
export function RunList({
  workflow,
  step,
  status,
  version,
  onClear,
}: {
  workflow: Workflow;
  step: string | undefined;
  status: RunStatus | undefined;
  version: number | undefined;
  onClear: () => void;
}) {
  const [opened, setOpened] = useState<ListedRun | null>(null);
  return (
    <>
      <div className="flex h-[28rem] min-h-0 flex-col">
        <RecordList
          label={runText('list')}
          query={pages.list_workflow_runs({
            workflowId: workflow.id,
            ...(step !== undefined && { stepId: step }),
            ...(status !== undefined && { status }),
            ...(version !== undefined && { version }),
            limit: 100,
          })}
          rowsOf={({ runs }) => runs}
          idOf={({ workflowSubscriberId }) => workflowSubscriberId}
          columns={columnsOf(workflow)}
          onOpen={setOpened}
          filtered={
            (step !== undefined || status !== undefined || version !== undefined) && {
              what: runText('filtered'),
              clear: onClear,
            }
          }
          empty={
            <EmptyState icon="people" title={runText('empty.title')}>
              {runText(workflow.published ? 'empty.lead' : 'empty.draft')}
            </EmptyState>
          }
        />
      </div>
      {opened && <OpenedRun run={opened} workflow={workflow} onClose={() => setOpened(null)} />}
    </>
  );
}
