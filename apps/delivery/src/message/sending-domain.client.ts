import type { Client, ServiceBus } from '#bus';
import { domainRequests } from '#contracts';
import type { EmailAddress } from '#email-address';
import { ResponseCache } from '#service-host';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { SigningKey } from './dkim-signer.js';

export interface SendingDomain {
  mailFromDomain: string;
  /** What signs; it never changes. */
  key: SigningKey;
}

/** What a broadcast of a domain's change names; the domain in lower-case ASCII. */
interface Changed {
  organizationId: string;
  domain: string;
}

const keyOf = ({ organizationId, domain }: Changed): string => `${organizationId} ${domain}`;

export class SendingDomainSource {
  readonly #answers: ResponseCache<SendingDomain>;
  readonly #domains: Client<typeof domainRequests>;

  constructor(bus: ServiceBus) {
    this.#domains = bus.client(domainRequests);
    this.#answers = new ResponseCache(bus);
    bus.onBroadcast<Changed>('sending-domain.changed', (changed) => this.#answers.forget(keyOf(changed)), 'home');
  }

  /** The domain of a sender. @throws ToolError SENDER_DOMAIN_UNVERIFIED */
  async get({ domain, asciiDomain }: EmailAddress, caller: Caller): Promise<SendingDomain> {
    const key = keyOf({ organizationId: caller.organizationId, domain: asciiDomain });
    const found = await this.#answers.find(key, async () => await this.#ask(asciiDomain, caller));
    if (!found) throw new ToolError('SENDER_DOMAIN_UNVERIFIED', { domain });
    return found;
  }

  /** @returns the key of a domain whose mail was accepted, VERIFIED still or not; null when the domain was deleted */
  async findKey(domain: string, caller: Caller): Promise<SigningKey | null> {
    const key = keyOf({ organizationId: caller.organizationId, domain });
    const found = await this.#answers.find(key, async () => await this.#ask(domain, caller));
    return found ? found.key : (await this.#domains.get_signing_key({ domain }, caller)).key;
  }

  async #ask(domain: string, caller: Caller): Promise<SendingDomain | null> {
    const [found, { key }] = await Promise.all([
      this.#domains.find_sending_domain({ domain }, caller),
      this.#domains.get_signing_key({ domain }, caller),
    ]);
    return found.domain?.status === 'VERIFIED' && key ? { mailFromDomain: found.domain.mailFromDomain, key } : null;
  }
}
