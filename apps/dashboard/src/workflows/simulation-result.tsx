import { lazy, Suspense, useState } from 'react';
import { outcomeText, reasonText } from '../messages/en/api-words.js';
import { runText } from '../messages/en/workflow-runs.js';
import { simulationText } from '../messages/en/workflow-simulation.js';
import { dateTime, number } from '../messages/format.js';
import { useSentence } from '../parts/filter/use-sentence.js';
import { Section } from '../ui/section.js';
import { EmptyState, Skeleton } from '../ui/states.js';
import { withMails } from './draft.js';
import type { FlowGraph } from './flow-graph.js';
import { OutlineList } from './outline-list.js';
import { RunBadge } from './run-words.js';
import { ExampleDialog } from './simulation-example.js';
import { mailedOf, simulatedGraph, stepOf } from './simulation.js';
import type { Example, Simulation } from './simulation.js';
import { branchWord } from './step-labels.js';
import { titlesOf } from './step-words.js';
import { ViewTabs } from './view-tabs.js';
import type { View } from './view-tabs.js';
import type { SimulationSearch } from './simulation-search.js';
import type { Workflow } from './workflow-status.js';

const FlowCanvas = lazy(async () => ({ default: (await import('./flow-canvas.js')).FlowCanvas }));

interface Props {
  workflow: Workflow;
  simulation: Simulation;
  view: View;
  search: SimulationSearch;
  onSearch: (part: Partial<SimulationSearch>) => void;
}

type Shown = Props & { graph: FlowGraph; titleOf: (id: string) => string };

/** The numbers of a simulation at its steps, its examples, and what it assumes. */
export function SimulationResult(props: Props) {
  const { workflow, simulation } = props;
  const sentence = useSentence();
  const graph = withMails(simulatedGraph(simulation), workflow);
  const shown = { ...props, graph, titleOf: titlesOf(graph, sentence) };
  const { result, version, from, to, status } = simulation;
  const what = version === null ? simulationText('what.draft') : simulationText('what.version', { version });
  return (
    <>
      <Section title={simulationText('numbers')}>
        <p className="mb-3 text-soft">{simulationText('shown', { what, from: dateTime(from), to: dateTime(to) })}</p>
        {result.entered === 0 && status === 'COMPLETED' ? (
          <EmptyState icon="info" title={simulationText('none.title')}>
            {simulationText('none.lead')}
          </EmptyState>
        ) : (
          <Numbers simulation={simulation} />
        )}
      </Section>
      <Steps {...shown} />
      <Reasons simulation={simulation} />
      {result.examples.length > 0 && <Examples {...shown} />}
      <Section title={simulationText('assumptions')}>
        <ul className="flex max-w-prose list-disc flex-col gap-1 ps-5">
          {result.assumptions.map(({ code }) => (
            <li key={code}>{simulationText(`assume.${code}`)}</li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function Numbers({ simulation }: { simulation: Simulation }) {
  const { considered, entered, runs } = simulation.result;
  const numbers = [
    ['considered', considered],
    ['entered', entered],
    ['mailed', mailedOf(simulation)],
    ['waiting', runs.waiting],
    ['completed', runs.completed],
    ['canceled', runs.canceled],
    ['failedRuns', runs.failed],
  ] as const;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {numbers.map(([name, value]) => (
        <div key={name}>
          <dt className="text-sm text-soft">{simulationText(name)}</dt>
          <dd className="text-lg font-semibold tabular">{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Steps({ simulation, graph, titleOf, view, search, onSearch }: Shown) {
  const shown = {
    graph,
    titleOf,
    selected: search.step,
    onSelect: (step: string) => onSearch({ step: step === search.step ? undefined : step }),
    noteOf: (id: string) => <StepNote simulation={simulation} id={id} />,
    countOf: (source: string, branch: string) => stepOf(simulation, source)?.left[branch] ?? 0,
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ViewTabs view={view} onChange={(next) => onSearch({ view: next })} />
      {view === 'outline' ? (
        <OutlineList {...shown} />
      ) : (
        <div className="h-[28rem] overflow-hidden rounded-lg border border-line bg-ground">
          <Suspense fallback={<Skeleton className="h-full" />}>
            <FlowCanvas {...shown} />
          </Suspense>
        </div>
      )}
      {search.step !== undefined && (
        <StepOutcomes simulation={simulation} id={search.step} title={titleOf(search.step)} />
      )}
    </div>
  );
}

function StepNote({ simulation, id }: { simulation: Simulation; id: string }) {
  const { entered = 0, waiting = 0, mailed } = stepOf(simulation, id) ?? {};
  return (
    <span className="flex shrink-0 gap-2 text-sm text-soft tabular">
      {mailed === undefined
        ? entered > 0 && <span>{simulationText('note.entered', { count: entered })}</span>
        : mailed > 0 && <span>{simulationText('note.mailed', { count: mailed })}</span>}
      {waiting > 0 && (
        <span className="font-medium text-ink">{simulationText('note.waiting', { count: waiting })}</span>
      )}
    </span>
  );
}

/** How runs left the chosen step, and why. */
function StepOutcomes({ simulation, id, title }: { simulation: Simulation; id: string; title: string }) {
  const step = stepOf(simulation, id);
  const label = simulationText('step', { step: title });
  if (!step || step.entered === 0)
    return (
      <p role="status" className="text-soft">
        {simulationText('step.none')}
      </p>
    );
  const rows = [
    ...Object.entries(step.left).map(([outcome, count]) => ({
      key: outcome,
      name: outcomeName(outcome),
      count,
      reasons: step.reasons.filter((one) => one.outcome === outcome),
    })),
    ...(step.waiting > 0 ? [{ key: '', name: simulationText('waiting'), count: step.waiting, reasons: [] }] : []),
  ];
  return (
    <section aria-label={label} className="flex flex-col gap-1">
      <h3 className="font-medium wrap-anywhere">{label}</h3>
      <CountList
        rows={rows.map(({ key, name, count, reasons }) => ({
          key,
          name:
            reasons.length > 0
              ? `${name} (${reasons.map((one) => `${reasonText(one.reason)} ${number(one.count)}`).join(', ')})`
              : name,
          count,
        }))}
      />
    </section>
  );
}

/** A branch by the word of the graph; names of SPLIT branches and other outcomes as they are. */
const outcomeName = (outcome: string): string =>
  branchWord(outcome) === outcome ? outcomeText(outcome) : branchWord(outcome);

function CountList({ rows }: { rows: readonly { key: string; name: string; count: number }[] }) {
  return (
    <ul className="flex max-w-xl flex-col">
      {rows.map(({ key, name, count }) => (
        <li key={key} className="flex justify-between gap-4 border-b border-line py-1">
          <span className="min-w-0 wrap-anywhere" dir="auto">
            {name}
          </span>
          <span className="shrink-0 tabular">{number(count)}</span>
        </li>
      ))}
    </ul>
  );
}

function Reasons({ simulation }: { simulation: Simulation }) {
  const { ends, skipped, goals } = simulation.result;
  const lists = [
    {
      title: simulationText('ends'),
      rows: ends.map(({ status, reason, count }) => ({
        key: `${status} ${reason ?? ''}`,
        name: [runText(`status.${status as 'COMPLETED'}`), reason === null ? '' : reasonText(reason)]
          .filter((part) => part !== '')
          .join(': '),
        count,
      })),
    },
    {
      title: simulationText('skipped'),
      rows: skipped.map(({ reason, count }) => ({ key: reason, name: reasonText(reason), count })),
    },
    {
      title: simulationText('goals'),
      rows: goals.map(({ id, name, conversions }) => ({ key: id, name, count: conversions })),
    },
  ].filter(({ rows }) => rows.length > 0);
  return lists.map(({ title, rows }) => (
    <Section key={title} title={title}>
      <CountList rows={rows} />
    </Section>
  ));
}

function Examples({ simulation, graph, titleOf }: Shown) {
  const [open, setOpen] = useState<Example | null>(null);
  return (
    <Section title={simulationText('examples')}>
      <p className="mb-2 text-soft">{simulationText('examples.lead')}</p>
      <ul className="flex flex-col">
        {simulation.result.examples.map((example, place) => (
          <li key={place} className="border-b border-line">
            <button
              type="button"
              onClick={() => setOpen(example)}
              className="flex min-h-10 w-full min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 rounded-md px-1 py-1.5 text-start hover:bg-sunk focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 flex-1 basis-full truncate font-medium sm:basis-0" dir="auto">
                {example.email ?? simulationText('gone')}
              </span>
              <span className="min-w-0 truncate text-sm text-soft" dir="auto">
                {titleOf(example.stepId)}
              </span>
              <span className="text-sm text-soft tabular">
                {simulationText('example.lines', { count: example.path.length + example.linesLeftOut })}
              </span>
              <RunBadge status={example.status} />
            </button>
          </li>
        ))}
      </ul>
      {open && <ExampleDialog example={open} graph={graph} titleOf={titleOf} onClose={() => setOpen(null)} />}
    </Section>
  );
}
