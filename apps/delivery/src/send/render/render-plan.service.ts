import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import { yearIn } from '#content';
import type { domainRequests } from '#contracts';
import { uuidOf } from '#database';
import { parseAddress } from '#email-address';
import { linkBase } from '#link-token';
import { CampaignRenderer } from './campaign-renderer.js';
import type { SendRepository } from '../send.repository.js';

/** Milliseconds for which keys are cached, so that a rotated one is soon used. */
const keptMs = 5 * 60_000;
/** Bounds memory: a template may have 100 KB and more. */
const keptMax = 32;
const domainDeadlineMs = 10_000;

/** Thrown if data that a send needs is unavailable; the message names it, for get_send_progress. */
export class SendBlocked extends Error {}

export interface RenderPlanServiceOptions {
  sends: SendRepository;
  domain: Client<typeof domainRequests>;
  linkKey: Uint8Array;
  publicUrl: string;
}

export class RenderPlanService {
  readonly #kept = new Map<string, { mail: Promise<CampaignRenderer>; until: number }>();

  constructor(private readonly options: RenderPlanServiceOptions) {}

  /** @throws SendBlocked when the signing key is missing; RemoteFailure when the domain service does not respond */
  async get(organizationId: string, sendId: string): Promise<CampaignRenderer> {
    const kept = this.#kept.get(sendId);
    if (kept && kept.until > Date.now()) return await kept.mail;
    const mail = this.#make(organizationId, sendId);
    this.#kept.delete(sendId);
    this.#kept.set(sendId, { mail, until: Date.now() + keptMs });
    if (this.#kept.size > keptMax) this.#kept.delete(this.#kept.keys().next().value!);
    mail.catch(() => this.#kept.delete(sendId));
    return await mail;
  }

  async #make(organizationId: string, sendId: string): Promise<CampaignRenderer> {
    const { sends, domain, linkKey, publicUrl } = this.options;
    const send = await sends.find(organizationId, sendId);
    if (!send) throw new SendBlocked('The send is unknown.');
    const caller = serviceCaller(organizationId, randomUUID(), domainDeadlineMs);
    const [{ key }, { organization }, { hostname }] = await Promise.all([
      domain.get_signing_key({ domain: send.sender.domain }, caller),
      domain.get_organization({}, caller),
      domain.find_link_host({}, caller),
    ]);
    if (!key) throw new SendBlocked(`The sending domain ${send.sender.domain} has no signing key.`);
    const replyTo = parseAddress(send.replyTo ?? send.sender.replyTo ?? send.sender.email);
    if (!replyTo.ok) throw new SendBlocked(`The reply address of the campaign ${replyTo.reason}.`);
    return new CampaignRenderer({
      send: { ...send, tracking: send.tracking ?? organization.tracking },
      ids: { organization: uuidOf('org', organizationId)!, campaign: uuidOf('cmp', send.campaignId)! },
      signing: { domain: key.domain, selector: key.selector, privateKey: key.privateKeyPem },
      linkKey,
      publicUrl: linkBase(publicUrl, hostname),
      replyTo: replyTo.address,
      currentYear: yearIn(organization.timezone, caller.now),
    });
  }
}
