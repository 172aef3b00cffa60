import type { ToolData } from '#client';
import { workflowText } from '../messages/en/workflows.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

export type Workflow = ToolData<'get_workflow'>['workflow'];
export type WorkflowStatus = Workflow['status'];

export const workflowStatuses = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const satisfies readonly WorkflowStatus[];

const tones: Record<WorkflowStatus, Tone> = { DRAFT: 'plain', ACTIVE: 'good', PAUSED: 'warn', ARCHIVED: 'plain' };

export function WorkflowBadge({ status }: { status: WorkflowStatus }) {
  return <Badge tone={tones[status]}>{workflowText(`status.${status}`)}</Badge>;
}
