/**
 * ACTIVE: its step is to be executed. WAITING: for a timer, an event or filters. COMPLETED, CANCELED (ended from
 * outside) and FAILED are final, with a reason if there is one.
 */
export type RunState = 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED';

/** The wait of a run at its step; `since` ISO 8601. */
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
  visit: number;
  /** Lines of history when it reached its step; with run and step it identifies an effect. */
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

export interface Position {
  state: RunState;
  stepId: string;
  visit: number;
  waiting: Waiting | null;
  /** When the run is due next; null: no timer. */
  nextActionAt: Date | null;
  stepsWithoutWait: number;
  attempts: number;
  reason: string | null;
  /** Whether filters may already be met and are to be tested soon. */
  look: boolean;
}

export interface Line {
  visit: number;
  stepId: string;
  at: Date;
  outcome: string;
  data: Record<string, unknown>;
}

export interface Transition {
  run: Run;
  /** Null: the run keeps its position. */
  to: Position | null;
  visit: number;
  lines: Line[];
  counts: string[];
  goals?: readonly string[];
  /** Webhook called by the step; its event precedes that of the end it led to. */
  webhook?: { url: string; status: number | null };
}

export const effectId = ({ id, stepId, arrival }: Pick<Run, 'id' | 'stepId' | 'arrival'>): string =>
  `${id}:${stepId}:${arrival}`;

export const isOpen = (state: RunState): boolean => state === 'ACTIVE' || state === 'WAITING';

export interface ListedRun {
  run: Run;
  workflowName: string;
  nextActionAt: Date | null;
  finishedAt: Date | null;
  reason: string | null;
  lines: { stepId: string; at: string; outcome: string; data: Record<string, unknown> }[];
}
