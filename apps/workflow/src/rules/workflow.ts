import type { WorkflowStatus } from '#contracts';
import { ToolError } from '#tool-call';
import type { Draft } from './draft/draft.js';
import type { WorkflowEmail } from './email.js';

/**
 * DRAFT was never published. ACTIVE enrols subscribers and moves their runs. PAUSED does neither and holds its timers.
 * ARCHIVED has ended its runs, and may be set to another status.
 */
export interface Workflow extends ListedWorkflow {
  draft: Draft;
  publishedVersion: number | null;
  /** Reason of a pause by the system; null for every other status and for a pause by a user. */
  pausedReason: string | null;
}

export interface ListedWorkflow {
  id: string;
  name: string;
  status: WorkflowStatus;
  groupId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A published version; it never changes. */
export interface Version extends Draft {
  version: number;
  publishedAt: Date;
}

/** Returns a name as it is stored: controls and line ends become a space. */
export const nameLine = (name: string): string => name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** The status after publishing (API text, Workflow states). @throws ToolError WORKFLOW_ARCHIVED */
export function publishedStatus(status: WorkflowStatus, activate: boolean | undefined): WorkflowStatus {
  if (status === 'ARCHIVED') throw new ToolError('WORKFLOW_ARCHIVED', {});
  if (status === 'ACTIVE') return 'ACTIVE';
  if (status === 'PAUSED') return activate === true ? 'ACTIVE' : 'PAUSED';
  return activate === false ? 'PAUSED' : 'ACTIVE';
}

export const summaryOf = (workflow: ListedWorkflow, activeSubscribers: number) => ({
  id: workflow.id,
  name: workflow.name,
  status: workflow.status,
  groupId: workflow.groupId,
  activeSubscribers,
  createdAt: workflow.createdAt.toISOString(),
  updatedAt: workflow.updatedAt.toISOString(),
});

export const shownEmail = ({
  id,
  stepId,
  subject,
  preview,
  content,
  contentType,
  senderId,
  replyTo,
}: WorkflowEmail) => ({
  stepId,
  campaignId: id,
  subject,
  preview,
  content,
  contentType,
  senderId,
  replyTo,
});
