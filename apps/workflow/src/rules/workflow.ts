import type { WorkflowStatus } from '#contracts';
import { ToolError } from '#tool-call';
import type { Draft } from './draft/draft.js';
import type { WorkflowEmail } from '../authoring/email/email.js';

/**
 * DRAFT was never published; ACTIVE takes subscribers and moves them on; PAUSED does neither and holds its timers;
 * ARCHIVED ended its runs, and may be set to another status again.
 */
export interface Workflow extends ListedWorkflow {
  draft: Draft;
  publishedVersion: number | null;
  /** Why the system paused it; null for every other status and for a pause by a user. */
  pausedReason: string | null;
}

/** What lists show of a workflow. */
export interface ListedWorkflow {
  id: string;
  name: string;
  status: WorkflowStatus;
  groupId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What publishing made of a draft; it never changes. */
export interface Version extends Draft {
  version: number;
  publishedAt: Date;
}

/** A name as it is kept: controls and line ends become a space. */
export const nameLine = (name: string): string => name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** The status after publishing (API text, Workflow states). @throws ToolError WORKFLOW_ARCHIVED */
export function publishedStatus(status: WorkflowStatus, activate: boolean | undefined): WorkflowStatus {
  if (status === 'ARCHIVED') throw new ToolError('WORKFLOW_ARCHIVED', {});
  if (status === 'ACTIVE') return 'ACTIVE';
  if (status === 'PAUSED') return activate === true ? 'ACTIVE' : 'PAUSED';
  return activate === false ? 'PAUSED' : 'ACTIVE';
}

/** @throws ToolError EXPECTED_UPDATED_AT_STALE */
export function assertFresh(expected: string, actual: Date): void {
  if (expected !== actual.toISOString())
    throw new ToolError('EXPECTED_UPDATED_AT_STALE', { actual: actual.toISOString() });
}

/** A workflow as lists show it. */
export const summaryOf = (workflow: ListedWorkflow, activeSubscribers: number) => ({
  id: workflow.id,
  name: workflow.name,
  status: workflow.status,
  groupId: workflow.groupId,
  activeSubscribers,
  createdAt: workflow.createdAt.toISOString(),
  updatedAt: workflow.updatedAt.toISOString(),
});

/** An email of a draft as get_workflow shows it. */
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
