import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import { SizedCache, yearIn } from '#content';
import type { domainRequests } from '#contracts';
import { uuidOf } from '#database';
import { parseAddress } from '#email-address';
import { linkBase } from '#link-token';
import { keyAnswer } from '../../message/kept-answers.service.js';
import type { KeptAnswers } from '../../message/kept-answers.service.js';
import { CampaignRenderer } from './campaign-renderer.js';
import type { SendRepository } from '../send.repository.js';

/** Milliseconds for which keys are cached, so that a rotated one is soon used. */
const keptMs = 5 * 60_000;
/** Characters of JSON of all plans of a process; in memory it is two to four times that. */
const keptMax = 16_000_000;
const domainDeadlineMs = 10_000;

/** Thrown if data that a send needs is unavailable; the message names it, for get_send_progress. */
export class SendBlocked extends Error {}

export interface RenderPlanServiceOptions {
  sends: SendRepository;
  domain: Client<typeof domainRequests>;
  answers: KeptAnswers;
  linkKey: Uint8Array;
  publicUrl: string;
}

/** Loads what the messages of a send are rendered from, and keeps the plans used last, bounded by their size. */
export class RenderPlanService {
  readonly #kept = new SizedCache<string, { mail: CampaignRenderer; until: number; size: number }>(
    keptMax,
    ({ size }) => size,
  );
  readonly #loading = new Map<string, Promise<CampaignRenderer>>();

  constructor(private readonly options: RenderPlanServiceOptions) {}

  get cache(): Pick<SizedCache<string, unknown>, 'size' | 'evictions'> {
    return this.#kept;
  }

  /** @throws SendBlocked when the signing key is missing; RemoteFailure when the domain service does not respond */
  async get(organizationId: string, sendId: string): Promise<CampaignRenderer> {
    const kept = this.#kept.get(sendId);
    if (kept && kept.until > performance.now()) return kept.mail;
    const loading = this.#loading.get(sendId) ?? this.#load(organizationId, sendId);
    this.#loading.set(sendId, loading);
    return await loading.finally(() => this.#loading.delete(sendId));
  }

  async #load(organizationId: string, sendId: string): Promise<CampaignRenderer> {
    const mail = await this.#make(organizationId, sendId);
    const size = JSON.stringify(mail.send).length;
    this.#kept.set(sendId, { mail, until: performance.now() + keptMs, size });
    return mail;
  }

  async #make(organizationId: string, sendId: string): Promise<CampaignRenderer> {
    const { sends, domain, answers, linkKey, publicUrl } = this.options;
    const send = await sends.find(organizationId, sendId);
    if (!send) throw new SendBlocked('The send is unknown.');
    if ((send.template as { expired?: true }).expired) throw new SendBlocked('The content of the send is deleted.');
    const caller = serviceCaller(organizationId, randomUUID(), domainDeadlineMs);
    const { domain: name } = send.sender;
    const [{ key }, { organization }, { hostname }] = await Promise.all([
      answers.find(organizationId, keyAnswer(name), () => domain.get_signing_key({ domain: name }, caller)),
      answers.find(organizationId, 'organization', () => domain.get_organization({}, caller)),
      answers.find(organizationId, 'link host', () => domain.find_link_host({}, caller)),
    ]);
    if (!key) throw new SendBlocked(`The sending domain ${name} has no signing key.`);
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
