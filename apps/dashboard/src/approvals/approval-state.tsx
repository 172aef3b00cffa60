import type { ToolData } from '#client';
import { approvalText } from '../messages/en/approvals.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

export type Approval = ToolData<'get_approval'>['approval'];
export type ListedApproval = ToolData<'list_approvals'>['approvals'][number];
export type ApprovalState = Approval['state'];

const tones: Record<ApprovalState, Tone> = {
  PENDING: 'warn',
  EXECUTING: 'info',
  EXECUTED: 'good',
  FAILED: 'bad',
  REJECTED: 'bad',
  EXPIRED: 'plain',
  WITHDRAWN: 'plain',
  APPROVED: 'info',
};

export function ApprovalBadge({ state }: { state: ApprovalState }) {
  return <Badge tone={tones[state]}>{approvalText(`state.${state}`)}</Badge>;
}

/** Who asked, and through what. */
export const askerText = ({ kind, name }: Approval['asker']): string => approvalText(`asker.${kind}`, { name });

/** A tool's name in words, such as "schedule_campaign" → "schedule campaign". */
export const toolWords = (tool: string): string => tool.replaceAll('_', ' ');
