import { useQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { commonText } from '../messages/en/common.js';
import { buildText } from '../messages/en/workflow-build.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icon.js';
import { Skeleton } from '../ui/states.js';
import { startConfig } from './config-fields.js';
import { newStepId, withStep, withTrigger } from './edit-graph.js';
import type { Place } from './edit-graph.js';
import type { FlowGraph, FlowStep } from './flow-graph.js';
import { stepIcon } from './step-icon.js';
import { typeLead, typeWord } from './step-labels.js';

export type StepSchema = ToolData<'get_step_schemas'>['steps'][number];

/** The schemas of all types of steps; they do not change while a page is open. */
export const useStepSchemas = () => useQuery({ ...queries.get_step_schemas({}), staleTime: 3_600_000 });

/** The graph with a new step at a place, or as a trigger; null where it would cut off steps that follow. */
function added(graph: FlowGraph, { type, example }: StepSchema, place: Place | 'start') {
  const step: FlowStep = { id: newStepId(graph, type), type, config: startConfig(type, example) };
  const next = place === 'start' ? withTrigger(graph, step) : withStep(graph, step, place);
  return next.steps.length === graph.steps.length + 1 ? { graph: next, id: step.id } : null;
}

/** Chooses the type of a new step. @param place where it will stand; `start` for a trigger */
export function AddStep({
  graph,
  place,
  onAdd,
  onClose,
}: {
  graph: FlowGraph;
  place: Place | 'start';
  onAdd: (graph: FlowGraph, id: string) => void;
  onClose: () => void;
}) {
  const { data, error, refetch } = useStepSchemas();
  const fitting = (data?.steps ?? []).filter(({ type }) => (type === 'TRIGGER') === (place === 'start'));
  return (
    <Dialog
      light
      title={buildText(place === 'start' ? 'addTrigger' : 'addTitle')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{commonText('cancel')}</Button>}
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-60" />}
      <ul className="flex flex-col gap-1">
        {fitting.map((schema, index) => {
          const next = added(graph, schema, place);
          return (
            <li key={schema.type}>
              <button
                type="button"
                data-autofocus={index === 0 ? '' : undefined}
                disabled={next === null}
                onClick={() => next && onAdd(next.graph, next.id)}
                className="flex w-full items-start gap-2.5 rounded-md px-2 py-1.5 text-start hover:bg-sunk disabled:text-soft"
              >
                <Icon name={stepIcon(schema.type)} className="mt-0.5 shrink-0 text-soft" />
                <span>
                  <span className="font-medium">{typeWord(schema.type)}</span>
                  <span className="block text-sm text-soft">
                    {next === null ? buildText('add.cuts') : (typeLead(schema.type) ?? schema.summary)}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
