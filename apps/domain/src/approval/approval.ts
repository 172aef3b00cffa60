import type { z } from 'zod';
import type { approvalStates, approvalSubject, difference, fact, preview } from '#contracts';
import type { Actor, Outcome } from '#tool-call';

export type ApprovalState = (typeof approvalStates)[number];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The asker's equal call gets the result for as long as a confirmation code is valid, and with its key for a day. */
const resultMs = 5 * minuteMs;
const keyedResultMs = dayMs;
/** A rejected call is refused for a day. */
const rejectedMs = dayMs;

/** Waiting calls of an organization, and of one asker. */
export const pendingMax = { organization: 100, asker: 20 };
/** Bytes of the parameters of a call that asks. */
export const parametersBytesMax = 256 * 1024;

/** What an approval seals: readable only with the master key. */
export interface ApprovedContent {
  parameters: Record<string, unknown>;
  facts: z.output<typeof fact>[];
  preview: z.output<typeof preview> | null;
  diff: z.output<typeof difference>[];
  /** What the description bound besides the parameters. */
  bound?: unknown;
  /** How many subscribers the call concerns, as the approver sees it. */
  count?: number | undefined;
}

export interface StoredApproval {
  id: string;
  organizationId: string;
  asker: { kind: 'TOKEN' | 'USER'; id: string; name: string };
  requestHash: string;
  callId: string | null;
  tool: string;
  action: string;
  message: string;
  subject: z.output<typeof approvalSubject> | null;
  contentHash: string;
  content: ApprovedContent;
  state: ApprovalState;
  askedAt: Date;
  expiresAt: Date;
  decidedAt: Date | null;
  decidedBy: { id: string; name: string } | null;
  decidedScopes: string[];
  note: string | null;
  outcome: Outcome | null;
}

export interface AskedCall {
  actor: Actor;
  requestHash: string;
  callId: string | null;
}

/** Until when an approval may be decided, or what was decided holds for the asker's equal call. */
export function endOf(approval: StoredApproval, callId: string | null): Date {
  const { state, decidedAt, expiresAt } = approval;
  if (state === 'PENDING' || !decidedAt) return expiresAt;
  if (state === 'REJECTED') return new Date(decidedAt.getTime() + rejectedMs);
  if (state === 'EXECUTING') return new Date(8.64e15);
  const isKeyed = callId !== null && callId === approval.callId;
  return new Date(decidedAt.getTime() + (isKeyed ? keyedResultMs : resultMs));
}

/** Whether the asker's equal call is answered by this approval, and is not a new request. */
export const isInForce = (approval: StoredApproval, callId: string | null, now: Date): boolean =>
  !['EXPIRED', 'WITHDRAWN', 'APPROVED'].includes(approval.state) && endOf(approval, callId) > now;
