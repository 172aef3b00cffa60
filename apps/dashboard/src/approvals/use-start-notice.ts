import * as z from 'zod/mini';
import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { approvalText } from '../messages/en/approvals.js';

/** What of the outcome of an approved schedule_campaign says when it starts. */
const sendOutcome = z.object({ campaignId: z.string(), scheduledAt: z.string() });

/** A send whose start is further away was asked for at a time of its own; a delay to undo is at most this long. */
const delaySecondsMax = 300;

/**
 * Shows that an approved send starts in some seconds, and undoes it until then.
 * @returns of the function: whether the send is yet to start, so that it was shown
 */
export function useStartNotice(): (outcome: unknown) => boolean {
  const cancel = useAction(actions.cancel_campaign_schedule());
  return (outcome) => {
    const { data } = sendOutcome.safeParse(outcome);
    if (!data) return false;
    const { campaignId, scheduledAt } = data;
    const seconds = Math.ceil((new Date(scheduledAt).getTime() - Date.now()) / 1_000);
    if (seconds <= 0 || seconds > delaySecondsMax) return false;
    const undo = async () => {
      await cancel.run({ campaignId });
      notify({ kind: 'done', text: approvalText('sendUndone') });
    };
    notify({ kind: 'done', text: approvalText('sendStarts', { count: seconds }), undo });
    return true;
  };
}
