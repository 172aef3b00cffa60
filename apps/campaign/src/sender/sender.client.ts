import type { Client, ServiceBus } from '#bus';
import { domainRequests } from '#contracts';
import type { SenderFacts } from '#contracts';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';

export class SenderClient {
  readonly #domain: Client<typeof domainRequests>;

  constructor(bus: ServiceBus) {
    this.#domain = bus.client(domainRequests);
  }

  /** @returns null when a campaign has no sender, or its sender was deleted */
  async find(senderId: string | null, caller: Caller): Promise<SenderFacts | null> {
    return senderId === null ? null : (await this.#domain.get_sender({ senderId }, caller)).sender;
  }

  async get(senderId: string, caller: Caller): Promise<SenderFacts> {
    const sender = await this.find(senderId, caller);
    if (!sender) throw new ToolError('SENDER_NOT_FOUND', { id: senderId });
    return sender;
  }

  /** Returns the default sender, else the one last used, else any; null when the organization has none. */
  async findUsual(caller: Caller): Promise<SenderFacts | null> {
    return (await this.#domain.get_sender({ senderId: null }, caller)).sender;
  }

  async findForSend(senderId: string | null, caller: Caller): Promise<SenderFacts | null> {
    return senderId === null ? null : (await this.#domain.get_sender({ senderId, use: true }, caller)).sender;
  }
}
