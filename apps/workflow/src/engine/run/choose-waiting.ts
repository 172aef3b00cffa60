import { ToolError } from '#tool-call';
import type { Run } from '../../rules/run.js';

/** Chooses the run whose wait is to end; null when the id is that of no open run. */
export function chooseWaiting(open: readonly Run[], runId: string | undefined): Run | null {
  const waits = ({ state, waiting }: Run) => state === 'WAITING' && waiting !== null && waiting.kind !== 'SEND_WINDOW';
  if (runId !== undefined) {
    const run = open.find(({ id }) => id === runId);
    if (run && !waits(run)) throw new ToolError('RUN_NOT_WAITING', {});
    return run ?? null;
  }
  const waiting = open.filter(waits);
  if (waiting.length > 1) throw new ToolError('RUNS_AMBIGUOUS', { runIds: waiting.map(({ id }) => id) });
  if (!waiting[0]) throw new ToolError('RUN_NOT_WAITING', {});
  return waiting[0];
}
