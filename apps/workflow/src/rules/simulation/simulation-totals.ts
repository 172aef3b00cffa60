import type { Line, RunState } from '../run.js';
import type { SimulatedRun, SimulationSink } from './simulated-subscriber.js';

/** Examples that a result explains. */
export const examplesMax = 20;
/** Lines of history that an example keeps. */
export const linesMax = 50;

/** An example as it is stored: ids and times, no address and no value of a field. */
export interface SimulationExample {
  subscriberId: string;
  startedBy: string;
  startedAt: string;
  status: RunState;
  stepId: string;
  reason: string | null;
  nextActionAt: string | null;
  path: { stepId: string; at: string; outcome: string; data: Record<string, unknown> }[];
  linesLeftOut: number;
  /** The steps and outcomes of the path: examples of different paths are preferred. */
  signature: string;
}

export interface StoredTotals {
  counts: Record<string, number>;
  /** The first example of each path. */
  distinct: SimulationExample[];
  /** Further ones, for when there are few paths. */
  further: SimulationExample[];
}

export const emptyTotals = (): StoredTotals => ({ counts: {}, distinct: [], further: [] });

/** Data of a line that says why, without the subscriber's own values. */
const keptData = ['reason', 'until', 'by', 'event', 'rule', 'goal', 'to', 'tagId', 'fieldId', 'campaignId'];

/** Sums up the runs of a simulation; its size does not grow with their number. */
export class SimulationTotals implements SimulationSink {
  readonly counts: Map<string, number>;
  readonly #distinct: SimulationExample[];
  readonly #further: SimulationExample[];
  readonly #signatures: Set<string>;

  constructor({ counts, distinct, further }: StoredTotals) {
    this.counts = new Map(Object.entries(counts));
    this.#distinct = [...distinct];
    this.#further = [...further];
    this.#signatures = new Set(distinct.map(({ signature }) => signature));
  }

  count(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  ended(run: SimulatedRun): void {
    if (this.#distinct.length >= examplesMax) return;
    const signature = signatureOf(run.lines);
    if (!this.#signatures.has(signature)) {
      this.#signatures.add(signature);
      this.#distinct.push(exampleOf(run, signature));
    } else if (this.#further.length < examplesMax) this.#further.push(exampleOf(run, signature));
  }

  stored(): StoredTotals {
    return { counts: Object.fromEntries(this.counts), distinct: this.#distinct, further: this.#further };
  }
}

/** Returns the examples to show: one of each path first, in the order of subscribers. */
export const examplesOf = ({ distinct, further }: StoredTotals): SimulationExample[] =>
  [...distinct, ...further].slice(0, examplesMax);

const signatureOf = (lines: readonly Line[]): string =>
  lines
    .slice(0, linesMax)
    .map(({ stepId, outcome }) => `${stepId}:${outcome}`)
    .join(' ');

function exampleOf({ run, startedBy, nextAt, lines, reason }: SimulatedRun, signature: string): SimulationExample {
  return {
    subscriberId: run.subscriberId,
    startedBy,
    startedAt: run.startedAt.toISOString(),
    status: run.state,
    stepId: run.stepId,
    reason,
    nextActionAt: nextAt === null ? null : new Date(nextAt).toISOString(),
    path: lines.slice(0, linesMax).map(({ stepId, at, outcome, data }) => ({
      stepId,
      at: at.toISOString(),
      outcome,
      data: Object.fromEntries(Object.entries(data).filter(([key]) => keptData.includes(key))),
    })),
    linesLeftOut: Math.max(0, lines.length - linesMax),
    signature,
  };
}
