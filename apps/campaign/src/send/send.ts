import type { deliveryRequests, Input, SenderFacts, SendProgress } from '#contracts';
import { RemoteFailure, saysNothing, ToolError } from '#tool-call';
import type { Campaign } from '../campaign/campaign.js';

/** A campaign that is due and claimed, on its way to the delivery service. */
export interface StartingSend {
  organizationId: string;
  campaign: Campaign;
  sendId: string;
  audienceId: string;
  /** How often it was claimed, this time included: a worker that was overtaken writes nothing. */
  attempt: number;
  /** How many earlier attempts ended in a defect. */
  defects: number;
}

/** What the delivery service is asked for. */
export type StartSend = Input<(typeof deliveryRequests)['calls']['start_send']>;

/**
 * Broadcast to all processes of the service when a campaign becomes due, so that it need not wait for the next poll.
 */
export const sendDueBroadcast = 'campaign.due';

/**
 * Decision: a due campaign without matching subscribers ends FAILED with this text. SENT without recipients would hide
 * an incorrect filter.
 */
export const noRecipientsFailure =
  'Nobody was sent to: no SUBSCRIBED subscriber matched the filters when the campaign was due.';

/** Why nothing can come from a sender that was fit when the campaign was scheduled. */
export const senderFailure = (sender: SenderFacts | null): string =>
  sender
    ? `Nobody was sent to: the sender’s domain ${sender.domain} was not VERIFIED when the campaign was due.`
    : 'Nobody was sent to: the sender was deleted before the campaign was due.';

const tooManyDefects = 'Nobody was sent to: the campaign could not be prepared because of a defect on our side.';
/** A defect may pass with the next attempt (a deployment, a full disk); one that stays must not spin for ever. */
const defectsMax = 10;

/**
 * Why a send can never start, when an error says so; null when trying again may help.
 * @param defects how many attempts ended in a defect, this one included
 */
export function failureOfStart(error: unknown, defects: number): string | null {
  const refusal = error instanceof RemoteFailure ? error.failure : error instanceof ToolError ? error : null;
  const passes = !refusal || saysNothing(refusal) || refusal.code === 'RATE_LIMITED';
  if (!passes) return `Nobody was sent to: ${refusal.message}`;
  return defects < defectsMax ? null : tooManyDefects;
}

/** Text shown to callers while a send cannot start. */
export const waitingText = (error: unknown): string =>
  error instanceof RemoteFailure ? error.failure.message : 'Preparing the send failed; it is tried again.';

/** Seconds until the next attempt: 1, 2, 4 … 30. */
export const retrySeconds = (attempt: number): number => Math.min(30, 2 ** (attempt - 1));

/** Progress of a campaign; `send` is null before the delivery service has it. */
export function campaignProgress(campaign: Campaign, send: SendProgress | null) {
  const { total, pending } = send ?? { total: 0, pending: 0 };
  return {
    campaignId: campaign.id,
    status: campaign.status,
    total,
    pending,
    deferred: send?.deferred ?? 0,
    sent: send?.sent ?? 0,
    delivered: send?.delivered ?? 0,
    bounced: send?.bounced ?? 0,
    failed: send?.failed ?? 0,
    skipped: send?.skipped ?? {},
    inDoubt: send?.inDoubt ?? 0,
    percent: total === 0 ? 0 : Math.floor(((total - pending) / total) * 1000) / 10,
    paused: send?.state === 'PAUSED',
    pausedReason: send?.pausedReason ?? null,
    waitingFor: send ? send.waitingFor : campaign.waitingFor,
    startedAt: campaign.startedAt?.toISOString() ?? null,
    finishedAt: campaign.finishedAt?.toISOString() ?? null,
    ratePerSecond: send?.ratePerSecond ?? 0,
  };
}
