import type { deliveryRequests, Input, SenderFacts } from '#contracts';
import { RemoteFailure, saysNothing, ToolError } from '#tool-call';
import type { Campaign } from '../campaign/campaign.js';

export interface StartingSend {
  organizationId: string;
  campaign: Campaign;
  sendId: string;
  audienceId: string;
  /** Number of claims, including this one; a worker of an earlier claim writes nothing. */
  attempt: number;
  /** Number of earlier attempts that ended in a defect. */
  defects: number;
}

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
  'Nothing was sent: no SUBSCRIBED subscriber matched the filters when the campaign was due.';

/** Explains why a sender that was valid at scheduling cannot be used now. */
export const senderFailure = (sender: SenderFacts | null): string =>
  sender
    ? `Nothing was sent: the sender’s domain ${sender.domain} was not VERIFIED when the campaign was due.`
    : 'Nothing was sent: the sender was deleted before the campaign was due.';

const tooManyDefects = 'Nothing was sent: the campaign could not be prepared because of a defect on our side.';
/** A defect may pass (a deployment, a full disk), but a lasting one must not be retried without end. */
const defectsMax = 10;

/**
 * Returns why a send can never start; null when trying again may help.
 * @param defects number of attempts that ended in a defect, this one included
 */
export function failureOfStart(error: unknown, defects: number): string | null {
  const refusal = error instanceof RemoteFailure ? error.failure : error instanceof ToolError ? error : null;
  const passes = !refusal || saysNothing(refusal) || refusal.code === 'RATE_LIMITED';
  if (!passes) return `Nothing was sent: ${refusal.message}`;
  return defects < defectsMax ? null : tooManyDefects;
}

export const waitingText = (error: unknown): string =>
  error instanceof RemoteFailure ? error.failure.message : 'Preparing the send failed; it is tried again.';

/** Seconds until the next attempt: 1, 2, 4 … 30. */
export const retrySeconds = (attempt: number): number => Math.min(30, 2 ** (attempt - 1));
