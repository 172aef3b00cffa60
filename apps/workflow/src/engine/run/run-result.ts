import type { CompiledVersion } from '../../rules/compiled-version.js';
import type { ListedRun } from '../../rules/run.js';

export function shownStep(version: CompiledVersion, id: string) {
  const { type, name } = version.step(id);
  return { id, type, name: name ?? null };
}

export const shownRun = (
  { run, workflowName, nextActionAt, finishedAt, reason, lines }: ListedRun,
  version: CompiledVersion,
) => ({
  workflowSubscriberId: run.id,
  workflowId: run.workflowId,
  workflowName,
  version: run.version,
  subscriberId: run.subscriberId,
  status: run.state,
  currentStep: shownStep(version, run.stepId),
  attempts: run.attempts,
  nextActionAt: nextActionAt?.toISOString() ?? null,
  startedAt: run.startedAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  reason,
  history: lines,
});
