import type { Args, Data, ExplainCheck, ExplainedMessage, explainTools, ExplainVerdict, Filter } from '#contracts';
import { pluralize, ToolError } from '#tool-call';

export type ExplainArgs = Args<(typeof explainTools)['calls']['explain']>;
export type Explanation = Data<(typeof explainTools)['calls']['explain']>;
type Action = Explanation['actions'][number];

export type ExplainTarget = Required<
  | { kind: 'campaign'; id: string }
  | { kind: 'workflow'; id: string }
  | { kind: 'segment'; id: string }
  | { kind: 'message'; id: string }
>;

export function targetOf({ campaignId, workflowId, segmentId, messageId }: ExplainArgs): ExplainTarget {
  const targets = [
    ...(campaignId === undefined ? [] : [{ kind: 'campaign' as const, id: campaignId }]),
    ...(workflowId === undefined ? [] : [{ kind: 'workflow' as const, id: workflowId }]),
    ...(segmentId === undefined ? [] : [{ kind: 'segment' as const, id: segmentId }]),
    ...(messageId === undefined ? [] : [{ kind: 'message' as const, id: messageId }]),
  ];
  if (targets.length !== 1) throw new ToolError('EXPLAIN_TARGET', { names: targets.map(({ kind }) => `${kind}Id`) });
  return targets[0]!;
}

export interface Standing {
  createdAt: Date;
  status: string;
  suppressed: 'BANNED' | 'BOUNCED' | 'COMPLAINED' | null;
  certainty: ExplainCheck['certainty'];
}

/** Whether a subscriber existed, was SUBSCRIBED and had no suppression entry at `at`. */
export function standingChecks({ createdAt, status, suppressed, certainty }: Standing, at: Date): ExplainCheck[] {
  const common = { at: at.toISOString(), source: 'subscriber' };
  return [
    {
      ...common,
      rule: 'existed',
      expected: `created before ${at.toISOString()}`,
      actual: `created ${createdAt.toISOString()}`,
      passed: createdAt <= at,
      certainty: 'RECORDED',
    },
    {
      ...common,
      rule: 'status',
      expected: 'SUBSCRIBED',
      actual: status,
      passed: status === 'SUBSCRIBED',
      certainty,
    },
    {
      ...common,
      rule: 'suppression',
      expected: 'no suppression entry',
      actual: suppressed ?? 'none',
      passed: suppressed === null,
      certainty: 'RECORDED',
    },
  ];
}

/** The result of one filter for a subscriber; `gone` states which record it names no longer exists. */
export interface FilterResult {
  filter: Filter;
  holds: boolean | null;
  gone: string | null;
  certainty: 'REWOUND' | 'NOW';
}

export const filterChecks = (results: readonly FilterResult[], at: Date): ExplainCheck[] =>
  results.map(({ filter, holds, gone, certainty }) => ({
    rule: 'filter',
    filter,
    expected: 'matches',
    actual: gone ?? (holds ? 'matches' : 'does not match'),
    passed: holds,
    certainty,
    at: at.toISOString(),
    source: 'subscriber',
  }));

const verdicts: Record<ExplainedMessage['status'], ExplainVerdict> = {
  PENDING: 'WAITING',
  SENT: 'SENT',
  DELIVERED: 'RECEIVED',
  BOUNCED: 'REFUSED',
  COMPLAINED: 'RECEIVED',
  FAILED: 'REFUSED',
  SKIPPED: 'LEFT_OUT',
  IN_DOUBT: 'IN_DOUBT',
};

const headlines: Record<ExplainedMessage['status'], (message: ExplainedMessage) => string> = {
  PENDING: ({ attempts }) => `The message is queued${attempts > 0 ? ` after ${pluralize(attempts, 'attempt')}` : ''}.`,
  SENT: () => 'The mail server accepted the message. No delivery report has arrived.',
  DELIVERED: () => 'The message was delivered.',
  BOUNCED: ({ response }) => `The message came back: ${response ?? 'without a reason'}`,
  COMPLAINED: () => 'The message was delivered, and the recipient reported it as spam.',
  FAILED: ({ response, reason }) => `The mail server refused the message (${reason}): ${response ?? 'without a reply'}`,
  SKIPPED: ({ reason }) => `The recipient was skipped when their turn came: ${reason}.`,
  IN_DOUBT: () => 'The connection broke during the attempt. The message may have arrived.',
};

export function explainMessage(
  message: ExplainedMessage,
): Pick<Explanation, 'verdict' | 'at' | 'headline' | 'checks' | 'nextPossibleAt' | 'actions'> {
  const { status, reason, response, sentAt, deliveredAt, createdAt, dueAt } = message;
  const at = deliveredAt ?? sentAt ?? createdAt;
  const common = { certainty: 'RECORDED' as const, source: 'delivery' };
  const checks: ExplainCheck[] = [
    {
      ...common,
      rule: 'attempt',
      expected: 'may be sent when its turn comes',
      actual: status === 'SKIPPED' ? `skipped: ${reason}` : pluralize(message.attempts, 'attempt'),
      passed: status !== 'SKIPPED',
      at: createdAt,
    },
  ];
  if (response !== null)
    checks.push({
      ...common,
      rule: 'reply',
      expected: 'the mail server accepts the message',
      actual: response,
      passed: !['FAILED', 'BOUNCED', 'PENDING'].includes(status),
      at,
    });
  return {
    verdict: verdicts[status],
    at,
    headline: headlines[status](message),
    checks,
    nextPossibleAt: status === 'PENDING' ? dueAt : null,
    actions: retryActions(message),
  };
}

function retryActions({ canRetry, campaignId }: ExplainedMessage): Action[] {
  if (campaignId === null || canRetry === 'NO') return [];
  const inDoubt = canRetry === 'IF_ASKED';
  const effect = inDoubt
    ? 'Retries recipients whose mail may have arrived; they may receive it twice.'
    : 'Retries all recipients of the campaign whose mail was refused temporarily.';
  return [{ tool: 'retry_campaign', arguments: { campaignId, ...(inDoubt && { inDoubt }) }, effect }];
}

export function actionsFor(failed: ExplainCheck | undefined, subscriberId: string): Action[] {
  if (failed?.rule === 'suppression' && failed.actual !== 'BANNED')
    return [reactivate(subscriberId, 'Removes the suppression entry if the mailbox works and its owner wants mail.')];
  if (failed?.rule === 'status' && failed.actual === 'UNSUBSCRIBED')
    return [reactivate(subscriberId, 'Subscribes them again if they asked for it.')];
  return [];
}

const reactivate = (subscriberId: string, effect: string): Action => ({
  tool: 'reactivate_subscriber',
  arguments: { subscriberId },
  effect,
});
