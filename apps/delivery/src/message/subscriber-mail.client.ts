import type { Client } from '#bus';
import type { subscriberLifeRequests } from '#contracts';
import { uuidOf } from '#database';
import { RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';
import { mailboxHashOf } from './address-hash.js';
import type { HashEmail } from './address-hash.js';
import type { SubscriberMail } from './subscriber-mail.repository.js';

/** Requests from the subscriber service by what the messages to a subscriber are found. */
export class SubscriberMailClient {
  constructor(
    private readonly lives: Client<typeof subscriberLifeRequests>,
    private readonly hashEmail: HashEmail,
  ) {}

  /** @throws RemoteFailure SUBSCRIBER_NOT_FOUND, IDENTIFIER_MISSING, IDENTIFIERS_DISAGREE */
  async get(who: { subscriberId?: string; email?: string }, caller: Caller): Promise<SubscriberMail> {
    const { subscriberId, email, campaignMessageIds = [] } = await this.lives.identify_subscriber(who, caller);
    return {
      subscriberId,
      mailboxHash: email === undefined ? null : mailboxHashOf(this.hashEmail(caller.organizationId, email)),
      messageIds: campaignMessageIds.flatMap((id) => uuidOf('msg', id) ?? []),
    };
  }

  /** As `get`; only the id itself for a subscriber that was deleted. */
  async find(subscriberId: string, caller: Caller): Promise<SubscriberMail> {
    return await this.get({ subscriberId }, caller).catch((error: unknown) => {
      if (error instanceof RemoteFailure && error.failure.reason === 'SUBSCRIBER_NOT_FOUND')
        return { subscriberId, mailboxHash: null, messageIds: [] };
      throw error;
    });
  }
}
