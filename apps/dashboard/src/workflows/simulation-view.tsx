import { useQuery } from '@tanstack/react-query';
import { Refusal } from '../data/refusal.js';
import { queries } from '../data/tools.calls.js';
import { simulationText } from '../messages/en/workflow-simulation.js';
import { number } from '../messages/format.js';
import { CopyAs } from '../parts/copy-as.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { Bar } from '../ui/bar.js';
import { Callout, EmptyState, Skeleton } from '../ui/states.js';
import type { Simulation } from './simulation.js';
import { SimulationForm } from './simulation-form.js';
import { SimulationResult } from './simulation-result.js';
import { simulationSearch } from './simulation-search.js';
import type { SimulationSearch } from './simulation-search.js';
import { useView } from './view-tabs.js';
import type { Workflow } from './workflow-status.js';

const pollMs = 1_500;

interface Props {
  workflow: Workflow;
}

/** Starts a simulation, and shows its progress and result. */
export function SimulationView({ workflow }: Props) {
  const [search, setSearch] = useScreenSearch(simulationSearch);
  const onSearch = (part: Partial<SimulationSearch>) => setSearch(part, { replace: true });
  const workflowId = workflow.id;
  const { data, error, refetch } = useQuery({
    ...queries.get_workflow_simulation({ workflowId }),
    refetchInterval: ({ state }) => (state.data?.simulation.status === 'RUNNING' ? pollMs : false),
  });
  const isMissing = error instanceof Refusal && error.reason === 'SIMULATION_NOT_FOUND';
  const simulation = isMissing || data?.simulation.workflowId !== workflowId ? undefined : data.simulation;
  const view = useView(search.view);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <div className="flex flex-col gap-3">
        <p className="flex items-start justify-between gap-2 text-soft">
          {simulationText('lead')}
          <CopyAs tool="simulate_workflow" input={{ workflowId }} />
        </p>
        <SimulationForm
          workflow={workflow}
          isRunning={simulation?.status === 'RUNNING'}
          isFirst={!simulation}
          onStarted={() => void refetch()}
        />
      </div>
      {error && !isMissing && <ErrorNotice error={error} onRetry={() => void refetch()} isStale={data !== undefined} />}
      {isMissing && (
        <EmptyState icon="play" title={simulationText('empty.title')}>
          {simulationText('empty.lead')}
        </EmptyState>
      )}
      {!error && !simulation && <Skeleton className="h-80" />}
      {simulation && <Progress simulation={simulation} />}
      {simulation && simulation.status !== 'FAILED' && (
        <SimulationResult {...{ workflow, simulation, view, search, onSearch }} />
      )}
    </div>
  );
}

function Progress({ simulation }: { simulation: Simulation }) {
  const { status, progress, failure, result } = simulation;
  if (status === 'FAILED') return <Callout tone="bad">{simulationText('failed', { reason: failure ?? '' })}</Callout>;
  if (status === 'COMPLETED')
    return simulation.draftChanged ? <Callout tone="warn">{simulationText('changed')}</Callout> : null;
  return (
    <section aria-label={simulationText('running')} className="flex flex-col gap-2">
      <p className="flex flex-wrap justify-between gap-x-4 tabular">
        <span className="font-medium">{simulationText('running')}</span>
        <span className="text-soft">{simulationText('running.read', { count: result.read })}</span>
      </p>
      <Bar share={progress} label={simulationText('running')} />
      <p className="sr-only" role="status">
        {number(Math.round(progress * 10) * 10)} %
      </p>
    </section>
  );
}
