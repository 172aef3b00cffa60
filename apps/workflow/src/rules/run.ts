/**
 * ACTIVE: at a step whose work is to be done. WAITING: for a timer, an event or filters. COMPLETED, CANCELED (ended from
 * outside), FAILED: over, with a reason where there is one to tell.
 */
export type RunState = 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED';

/** What a run waits for at its step; `since` ISO 8601. */
export interface Waiting {
  kind: 'WAIT' | 'WAIT_UNTIL' | 'SEND_WINDOW';
  since: string;
}

/** One subscriber's passage through one version; ids as on the wire. */
export interface Run {
  organizationId: string;
  id: string;
  workflowId: string;
  version: number;
  subscriberId: string;
  state: RunState;
  stepId: string;
  /** How many lines of history there are. */
  visit: number;
  /** Lines of history when it reached its step. With run and step it identifies an effect. */
  arrival: number;
  waiting: Waiting | null;
  stepsWithoutWait: number;
  attempts: number;
  firstStepOnly: boolean;
  goals: readonly string[];
  met: readonly string[];
  startedAt: Date;
  /** Fencing token: increases with every claim; results computed under an older one are not written. */
  fence: string;
}

/** Position of a run after a decision. */
export interface Position {
  state: RunState;
  stepId: string;
  visit: number;
  waiting: Waiting | null;
  /** When it needs attention next; null: not by time. */
  nextActionAt: Date | null;
  stepsWithoutWait: number;
  attempts: number;
  reason: string | null;
  /** Filters may be met already: they are tested soon. */
  look: boolean;
}

/** One line of a run's history: a step, what came of it, and why. */
export interface Line {
  visit: number;
  stepId: string;
  at: Date;
  outcome: string;
  data: Record<string, unknown>;
}

/** A decision about a run, as it is recorded. */
export interface Transition {
  run: Run;
  /** Null: it stays where it is. */
  to: Position | null;
  /** The number of the next line of history. */
  visit: number;
  lines: Line[];
  /** Keys of the workflow's counts that go up. */
  counts: string[];
  goals?: readonly string[];
  /** Webhook called by the step; its event precedes that of the end it led to. */
  webhook?: { url: string; status: number | null };
}

/** Under which name an effect happens once. */
export const effectId = ({ id, stepId, arrival }: Pick<Run, 'id' | 'stepId' | 'arrival'>): string =>
  `${id}:${stepId}:${arrival}`;

export const isOpen = (state: RunState): boolean => state === 'ACTIVE' || state === 'WAITING';

/** A run as get_subscriber_workflow_runs shows it. */
export interface ListedRun {
  run: Run;
  workflowName: string;
  nextActionAt: Date | null;
  finishedAt: Date | null;
  reason: string | null;
  lines: { stepId: string; at: string; outcome: string; data: Record<string, unknown> }[];
}
