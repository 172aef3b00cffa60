import { useRef } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { buildText } from '../messages/en/workflow-build.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import type { FlowGraph } from './flow-graph.js';
import type { Place } from './edit-graph.js';
import { branchesOf, outlineOf } from './outline.js';
import type { OutlineArm, OutlineSequence } from './outline.js';
import { stepIcon } from './step-icon.js';
import { branchWord, typeWord } from './step-labels.js';

/** What an outline shows beside the steps, and what its keys do. */
export interface OutlineProps {
  graph: FlowGraph;
  titleOf: (id: string) => string;
  selected: string | undefined;
  onSelect: (id: string) => void;
  /** What stands at the end of a step's line, such as its problems. */
  noteOf: (id: string) => ReactNode;
  /** Absent where the draft cannot be changed. */
  edit?: {
    onAdd: (place: Place) => void;
    onMove: (id: string, by: -1 | 1) => void;
    onRemove: (id: string) => void;
  };
}

/** The steps as a nested list: every step, branch and change within reach of keys and screen readers. */
export function OutlineList(props: OutlineProps) {
  const { graph, selected, edit } = props;
  const ref = useRef<HTMLDivElement>(null);
  const outline = outlineOf(graph);
  const first = selected ?? outline[0]?.steps[0]?.id;
  const hasTriggers = graph.steps.some(({ type }) => type === 'TRIGGER');
  const isLoose = ({ steps }: OutlineSequence) =>
    hasTriggers && graph.steps.find(({ id }) => id === steps[0]?.id)?.type !== 'TRIGGER';
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const id = (event.target as HTMLElement).dataset.step;
    if (id === undefined || event.ctrlKey || event.metaKey) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0 && event.altKey) edit?.onMove(id, by);
    else if (by !== 0) {
      const all = [...ref.current!.querySelectorAll<HTMLElement>('[data-step]')];
      all[all.findIndex(({ dataset }) => dataset.step === id) + by]?.focus();
    } else if (event.key === 'Delete') edit?.onRemove(id);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={ref} onKeyDown={press} className="flex flex-col gap-4">
      {outline.map((sequence, place) => (
        <div key={sequence.steps[0]?.id ?? place}>
          {isLoose(sequence) && <p className="pb-1 text-sm text-warn">{buildText('loose')}</p>}
          <Sequence {...props} sequence={sequence} below={null} first={first} />
        </div>
      ))}
    </div>
  );
}

type Inner = OutlineProps & { first: string | undefined };

/** @param below the step that follows after the arms, for ways that lead to it */
function Sequence({ sequence, below, ...props }: Inner & { sequence: OutlineSequence; below: string | null }) {
  const { steps, tail } = sequence;
  if (steps.length === 0) return null;
  return (
    <ol className="flex flex-col">
      {steps.map(({ id, arms }, place) => (
        <li key={id} className="min-w-0">
          <StepLine {...props} id={id} />
          {arms.length > 0 && (
            <ul className="ms-4 flex flex-col gap-1 border-s border-line py-1 ps-4">
              {arms.map((arm, index) => (
                <Arm key={arm.branch ?? index} {...props} of={id} arm={arm} below={steps[place + 1]?.id ?? below} />
              ))}
            </ul>
          )}
          <Between {...props} id={id} hasArms={arms.length > 0} />
        </li>
      ))}
      {tail !== null && tail !== below && (
        <li>
          <GoOn {...props} id={tail} />
        </li>
      )}
    </ol>
  );
}

function Arm({
  of,
  arm: { branch, sequence },
  below,
  ...props
}: Inner & { of: string; arm: OutlineArm; below: string | null }) {
  const { edit, titleOf } = props;
  const { steps, tail } = sequence;
  const word = branchWord(branch);
  const isEmpty = steps.length === 0;
  return (
    <li className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 py-0.5 text-sm">
        <span className="font-medium text-soft">{buildText('arm', { branch: word })}</span>
        {isEmpty &&
          (tail === null ? (
            <span className="text-soft">{buildText('arm.end')}</span>
          ) : tail === below ? (
            <span className="text-soft">{buildText('arm.below')}</span>
          ) : (
            <GoOn {...props} id={tail} />
          ))}
        {edit && (
          <button
            type="button"
            aria-label={buildText('addIn', { branch: word, step: titleOf(of) })}
            title={buildText('addHere')}
            onClick={() => edit.onAdd({ after: of, branch })}
            className="grid size-6 place-items-center rounded-md text-soft hover:bg-sunk hover:text-ink"
          >
            <Icon name="plus" size={12} />
          </button>
        )}
      </p>
      <Sequence {...props} sequence={sequence} below={below} />
    </li>
  );
}

/** The way goes on at a step that stands elsewhere in the outline. */
function GoOn({ id, titleOf, onSelect }: Inner & { id: string }) {
  return (
    <button
      type="button"
      onClick={() => onSelect(id)}
      className="flex min-h-6 max-w-full items-center gap-1.5 rounded-md px-1 text-start text-sm text-soft underline underline-offset-2 hover:text-ink"
    >
      <Icon name="undo" size={12} className="-scale-x-100" />
      <span className="min-w-0 truncate" dir="auto">
        {buildText('arm.to', { step: titleOf(id) })}
      </span>
    </button>
  );
}

function StepLine({ id, graph, titleOf, selected, first, onSelect, noteOf, edit }: Inner & { id: string }) {
  const step = graph.steps.find((one) => one.id === id)!;
  const isSelected = id === selected;
  const title = titleOf(id);
  return (
    <button
      type="button"
      data-step={id}
      tabIndex={id === first ? 0 : -1}
      aria-current={isSelected || undefined}
      aria-keyshortcuts={edit && 'Alt+ArrowUp Alt+ArrowDown Delete'}
      onClick={() => onSelect(id)}
      className={classNames(
        'flex min-h-10 w-full min-w-0 items-center gap-2.5 rounded-md border px-2.5 py-1 text-start focus-visible:outline-offset-0',
        isSelected ? 'border-accent bg-accent-soft' : 'border-line bg-paper hover:border-edge',
      )}
    >
      <Icon name={stepIcon(step.type)} className="shrink-0 text-soft" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium" dir="auto">
          {title}
        </span>
        {typeWord(step.type) !== title && <span className="block text-xs text-soft">{typeWord(step.type)}</span>}
      </span>
      {noteOf(id)}
    </button>
  );
}

/** The gap after a step, at which another can be added by the pointer; keys add from the panel. */
function Between({ id, hasArms, graph, titleOf, edit }: Inner & { id: string; hasArms: boolean }) {
  const branches = branchesOf(graph.steps.find((one) => one.id === id)!);
  if (!edit || hasArms || branches !== null) return <div className="h-2" />;
  return (
    <div className="flex h-6 items-center ps-4">
      <span aria-hidden="true" className="h-full border-s border-line" />
      <button
        type="button"
        tabIndex={-1}
        aria-label={buildText('addAfter', { step: titleOf(id) })}
        title={buildText('addHere')}
        onClick={() => edit.onAdd({ after: id })}
        className="ms-[-0.78rem] grid size-6 place-items-center rounded-full bg-ground text-soft hover:bg-sunk hover:text-ink"
      >
        <Icon name="plus" size={12} />
      </button>
    </div>
  );
}
