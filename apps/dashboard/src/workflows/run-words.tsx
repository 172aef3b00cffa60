import type { ToolData } from '#client';
import { runText } from '../messages/en/workflow-runs.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

export type ListedRun = ToolData<'list_workflow_runs'>['runs'][number];
export type RunStatus = ListedRun['status'];

export const runStatuses = [
  'ACTIVE',
  'WAITING',
  'COMPLETED',
  'CANCELED',
  'FAILED',
] as const satisfies readonly RunStatus[];

const tones: Record<RunStatus, Tone> = {
  ACTIVE: 'info',
  WAITING: 'warn',
  COMPLETED: 'good',
  CANCELED: 'plain',
  FAILED: 'bad',
};

export function RunBadge({ status }: { status: RunStatus }) {
  return <Badge tone={tones[status]}>{runText(`status.${status}`)}</Badge>;
}
