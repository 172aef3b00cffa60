import type { DomainEvent, EventData, SubscriberEventType } from '#contracts';

export type MessageEvent = DomainEvent<
  | 'message.sent'
  | 'message.delivered'
  | 'message.delayed'
  | 'message.bounced'
  | 'message.opened'
  | 'message.clicked'
  | 'message.complained'
>;

/** First attempts of one chunk of a campaign, recorded together. */
export type SettledEvent = DomainEvent<'messages.settled'>;

/** The effect of one message event on its subscriber; events may arrive in any order. */
export interface MessageFact {
  organizationId: string;
  subscriberId: string;
  campaignId: string | null;
  messageId: string;
  at: string;
  type: SubscriberEventType;
  data: Record<string, unknown>;
  /** Added to the subscriber's counters; `opens` and `clicks` are those of humans, without machines. */
  counts: { emails?: number; opens?: number; machineOpens?: number; clicks?: number; machineClicks?: number };
  /** Which of "last emailed, opened, clicked" the event may update. */
  last: { emailed?: true; opened?: true; clicked?: true };
  /**
   * Which of the campaign's instants of this subscriber the event may update: first and last open or click, last of the
   * others.
   */
  campaign: { sent?: true; delivered?: true; opened?: true; clicked?: true; bounced?: true; complained?: true };
}

/** Reads an event of delivery; null for a message to an address that is no subscriber. */
export function factOf({ organizationId, name, data }: MessageEvent): MessageFact | null {
  if (data.subscriberId === null) return null;
  const { subscriberId, campaignId, messageId, subject, at } = data;
  const message = { emailId: messageId, campaignId, subject };
  const fact = { organizationId, subscriberId, campaignId, messageId, at, counts: {}, last: {}, campaign: {} };
  switch (name) {
    case 'message.sent':
      return {
        ...fact,
        type: 'EMAIL_SENT',
        data: message,
        counts: { emails: 1 },
        last: { emailed: true },
        campaign: { sent: true },
      };
    case 'message.delivered':
      return {
        ...fact,
        type: 'EMAIL_RECEIVED',
        data: { ...message, receivedAt: at },
        campaign: { delivered: true },
      };
    case 'message.delayed':
      return {
        ...fact,
        type: 'EMAIL_DELIVERY_DELAYED',
        data: { ...message, reason: data.reason, attempts: data.attempts },
      };
    case 'message.bounced':
      return { ...fact, type: 'EMAIL_BOUNCED', data: { ...message, ...bounceOf(data) }, campaign: { bounced: true } };
    case 'message.complained': {
      const { complaintFeedbackType, provider } = data;
      return {
        ...fact,
        type: 'EMAIL_COMPLAINED',
        data: { ...message, complaintFeedbackType, provider },
        campaign: { complained: true },
      };
    }
    case 'message.opened': {
      const { machine, userAgent } = data;
      const opened = { ...fact, type: 'EMAIL_OPENED' as const, data: { ...message, machine, userAgent } };
      // An open by a scanner is no sign of the recipient.
      if (machine) return { ...opened, counts: { machineOpens: 1 } };
      return { ...opened, counts: { opens: 1 }, last: { opened: true }, campaign: { opened: true } };
    }
    case 'message.clicked': {
      const { machine, url } = data;
      const clicked = { ...fact, type: 'EMAIL_CLICKED' as const, data: { ...message, url, machine } };
      if (machine) return { ...clicked, counts: { machineClicks: 1 } };
      // A click implies that the recipient saw the message, even if the pixel was not loaded.
      return { ...clicked, counts: { clicks: 1 }, last: { clicked: true }, campaign: { opened: true, clicked: true } };
    }
  }
}

const bounceOf = ({
  bounceType,
  bounceCategory,
  reason,
  provider,
  status,
  suppression,
}: EventData<'message.bounced'>) => ({
  bounceType,
  bounceCategory,
  reason,
  provider,
  status,
  ...(suppression && { suppression }),
});
