import type { FlowGraph } from './flow-graph.js';
import { outlineOf } from './outline.js';
import type { Outline, OutlineSequence } from './outline.js';

/** A line of an outline. `level` counts from 1; `key` is unique in the outline. */
export type OutlineRow = { key: string; level: number } & (
  | { kind: 'loose' }
  | { kind: 'step'; id: string; hasArms: boolean }
  /** A way out of `of`; `end` says where it leads without a step of its own. */
  | { kind: 'arm'; of: string; branch: string | undefined; end: ArmEnd | null }
  | { kind: 'goOn'; id: string }
);

/** A way without steps ends there, goes on below its siblings, or at a step that stands elsewhere. */
export type ArmEnd = 'END' | 'BELOW' | { at: string };

/** The lines of a graph's outline, in their order. */
export function outlineRows(graph: FlowGraph): OutlineRow[] {
  const triggers = new Set(graph.steps.filter(({ type }) => type === 'TRIGGER').map(({ id }) => id));
  return rowsOf(outlineOf(graph), ({ steps: [first] }) => triggers.size > 0 && !triggers.has(first?.id ?? ''));
}

function rowsOf(outline: Outline, isLoose: (sequence: OutlineSequence) => boolean): OutlineRow[] {
  const rows: OutlineRow[] = [];
  /** @param below the step that follows after the arms, for ways that lead to it */
  const write = ({ steps, tail }: OutlineSequence, level: number, below: string | null): void => {
    steps.forEach(({ id, arms }, place) => {
      rows.push({ kind: 'step', key: id, level, id, hasArms: arms.length > 0 });
      const after = steps[place + 1]?.id ?? below;
      arms.forEach(({ branch, sequence }, index) => {
        const end = sequence.steps.length > 0 ? null : endOf(sequence.tail, after);
        rows.push({ kind: 'arm', key: `${id}/${index}`, level: level + 1, of: id, branch, end });
        write(sequence, level + 1, after);
      });
    });
    if (steps.length > 0 && tail !== null && tail !== below)
      rows.push({ kind: 'goOn', key: `${steps.at(-1)!.id}/on`, level, id: tail });
  };
  for (const sequence of outline) {
    if (isLoose(sequence)) rows.push({ kind: 'loose', key: `${sequence.steps[0]?.id}/loose`, level: 1 });
    write(sequence, 1, null);
  }
  return rows;
}

function endOf(tail: string | null, below: string | null): ArmEnd {
  if (tail === null) return 'END';
  return tail === below ? 'BELOW' : { at: tail };
}
