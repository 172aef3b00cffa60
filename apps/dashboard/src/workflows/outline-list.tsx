import { useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { buildText } from '../messages/en/workflow-build.js';
import { number } from '../messages/format.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import type { FlowGraph } from './flow-graph.js';
import type { Place } from './edit-graph.js';
import { branchesOf } from './outline.js';
import { outlineRows } from './outline-rows.js';
import type { OutlineRow } from './outline-rows.js';
import { stepIcon } from './step-icon.js';
import { branchWord, typeWord } from './step-labels.js';
import { useOutlineRows } from './use-outline-rows.js';

/** What an outline shows beside the steps, and what its keys do. */
export interface OutlineProps {
  graph: FlowGraph;
  titleOf: (id: string) => string;
  selected: string | undefined;
  onSelect: (id: string) => void;
  /** What stands at the end of a step's line, such as its problems. */
  noteOf: (id: string) => ReactNode;
  /** How many went by a branch of a step. */
  countOf?: (source: string, branch: string) => number;
  /** Absent where the draft cannot be changed. */
  edit?: {
    onAdd: (place: Place) => void;
    onMove: (id: string, by: -1 | 1) => void;
    onRemove: (id: string) => void;
  };
}

/**
 * The steps as a list of levels: every step, branch and change within reach of keys and screen readers. Only the rows in sight
 * are drawn; each says its place among all.
 */
export function OutlineList(props: OutlineProps) {
  const { graph, selected, edit } = props;
  const ref = useRef<HTMLUListElement>(null);
  const rows = useMemo(() => outlineRows(graph), [graph]);
  const ids = useMemo(() => rows.flatMap((row) => (row.kind === 'step' ? [row.id] : [])), [rows]);
  /** The step that had the focus last. */
  const [active, setActive] = useState<string>();
  const first = [active, selected].find((id) => id !== undefined && ids.includes(id)) ?? ids[0];
  const { virtual, margin, focus } = useOutlineRows(ref, rows, [first, selected]);
  const press = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset.step;
    if (id === undefined || event.ctrlKey || event.metaKey) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0 && event.altKey) edit?.onMove(id, by);
    else if (by !== 0 || event.key === 'Home' || event.key === 'End') {
      const next = event.key === 'Home' ? ids[0] : event.key === 'End' ? ids.at(-1) : ids[ids.indexOf(id) + by];
      if (next !== undefined) {
        focus(next);
        setActive(next);
      }
    } else if (event.key === 'Delete') edit?.onRemove(id);
    else return;
    event.preventDefault();
  };
  return (
    // The height of the list is that of all its rows.
    <ul
      ref={ref}
      role="list"
      aria-label={buildText('outline')}
      onKeyDown={press}
      onFocus={({ target }) => target.dataset.step !== undefined && setActive(target.dataset.step)}
      className="relative"
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ index, key, start }) => (
        <li
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          aria-level={rows[index]!.level}
          aria-setsize={rows.length}
          aria-posinset={index + 1}
          className="absolute inset-x-0 top-0 flex min-w-0"
          style={{ transform: `translateY(${start - margin}px)` }}
        >
          {Array.from({ length: rows[index]!.level - 1 }, (_, level) => (
            <span key={level} aria-hidden="true" className="ms-4 me-4 shrink-0 border-s border-line" />
          ))}
          <div className="min-w-0 flex-1">
            <Row {...props} first={first} row={rows[index]!} />
          </div>
        </li>
      ))}
    </ul>
  );
}

type Inner = OutlineProps & { first: string | undefined };

function Row({ row, ...props }: Inner & { row: OutlineRow }) {
  switch (row.kind) {
    case 'loose':
      return <p className="pb-1 text-sm text-warn">{buildText('loose')}</p>;
    case 'step':
      return (
        <>
          <StepLine {...props} id={row.id} />
          <Between {...props} id={row.id} hasArms={row.hasArms} />
        </>
      );
    case 'arm':
      return <Arm {...props} row={row} />;
    case 'goOn':
      return <GoOn {...props} id={row.id} />;
  }
}

function Arm({ row: { of, branch, end }, ...props }: Inner & { row: OutlineRow & { kind: 'arm' } }) {
  const { edit, titleOf, countOf } = props;
  const word = branchWord(branch);
  return (
    <p className="flex flex-wrap items-center gap-x-2 py-0.5 text-sm">
      <span className="font-medium text-soft">{buildText('arm', { branch: word })}</span>
      {countOf && branch !== undefined && <span className="font-medium tabular">{number(countOf(of, branch))}</span>}
      {end === 'END' && <span className="text-soft">{buildText('arm.end')}</span>}
      {end === 'BELOW' && <span className="text-soft">{buildText('arm.below')}</span>}
      {end !== null && typeof end === 'object' && <GoOn {...props} id={end.at} />}
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
