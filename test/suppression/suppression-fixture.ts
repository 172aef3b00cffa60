import { domainRequests, feedbackRequests, subscriberLifeRequests, subscriberRequests } from '#contracts';
import type { ProviderReport } from '#contracts';
import { newId, newUuid, uuidOf } from '#database';
import { Outbox } from '#events';
import { addressHasher, deriveKey, LinkTokens } from '#link-token';
import { emailHasher } from '../../apps/delivery/src/message/address-hash.js';
import { eraseSome } from '../../apps/delivery/src/report/erasure/erasure.job.js';
import { ErasureRepository } from '../../apps/delivery/src/report/erasure/erasure.repository.js';
import { StatusService } from '../../apps/subscriber/src/subscriber/status.service.js';
import type { Harness, Tenant } from '../harness/harness.js';
import { environmentFor } from '../harness/service-plans.js';

const { MASTER_KEY } = environmentFor('');
const tokens = new LinkTokens(deriveKey(MASTER_KEY!, 'links'));
const hashEmail = emailHasher(addressHasher(MASTER_KEY!));

export interface SentMail {
  subscriberId: string;
  messageId: string;
  email: string;
}

/** A mail server's or provider's words about a mail. */
export type Report = { kind: 'BOUNCED'; status: string; text: string } | { kind: 'COMPLAINED' };

/** Makes an organization; many sequences share it, since the keys of its domain take the longest to make. */
export async function makeOrganization(harness: Harness, doubleOptIn: boolean): Promise<Tenant> {
  const caller = harness.caller({ organizationId: '' });
  const domain = harness.client(domainRequests);
  const { organization } = await domain.create_organization({ name: 'An organization' }, caller);
  await domain.set_organization({ organizationId: organization.id, doubleOptIn }, caller);
  return { organizationId: organization.id };
}

/** The real services, as one sequence uses them: their request handlers, event handlers and databases. */
export class SuppressionFixture {
  constructor(
    private readonly harness: Harness,
    private readonly tenant: Tenant,
    /** All addresses of the sequence, and of no other, are at this domain. */
    private readonly mailDomain: string,
  ) {}

  /** Calls a tool, which may refuse. */
  async call(tool: string, input: object): Promise<void> {
    const outcome = await this.harness.call(tool, input, this.tenant);
    if (!outcome.ok && outcome.error.code === 'INTERNAL') throw new Error(`${tool}: ${outcome.error.message}`);
  }

  /** @returns the id of the subscriber of an address; null for none */
  async idOf(email: string): Promise<string | null> {
    const outcome = await this.harness.call('get_subscriber', { email }, this.tenant);
    return outcome.ok ? (outcome.data as { subscriber: { id: string } }).subscriber.id : null;
  }

  delete(email: string) {
    return this.#life.delete_subscriber({ email }, this.#caller).catch(() => null);
  }

  confirm(subscriberId: string) {
    const linkMadeAt = new Date(Date.now()).toISOString();
    return this.#life.confirm_subscription({ subscriberId, linkMadeAt, ip: null, userAgent: null }, this.#caller);
  }

  leave({ subscriberId }: SentMail) {
    return this.#links.unsubscribe_by_link({ subscriberId, ...oneClick }, this.#caller);
  }

  back({ subscriberId }: SentMail) {
    return this.#links.resubscribe_by_link({ subscriberId }, this.#caller);
  }

  /** Applies a choice that was made before. */
  async leaveLate({ subscriberId }: SentMail, at: Date): Promise<void> {
    await this.harness.dataSource('subscriber').transaction(async (manager) => {
      const outbox = new Outbox('subscriber');
      const { organizationId } = this.tenant;
      const options = { organizationId, now: at, triggerWorkflows: true };
      const by = { ...oneClick, reason: null };
      const cause = { kind: 'link' as const, id: null };
      await new StatusService(manager, outbox).unsubscribeAsOf(subscriberId, by, { ...options, cause });
      await outbox.flush(manager);
    });
  }

  /** Sends a transactional message. @returns null when it is refused */
  async transact(email: string): Promise<SentMail | null> {
    const admitted = await this.#life.admit_transactional({ email }, this.#caller).catch(() => null);
    if (!admitted || admitted.suppressed) return null;
    return (await this.#handOver([{ subscriberId: admitted.subscriberId, email }]))[0]!;
  }

  /** Sends a campaign to its audience: every subscriber who may be mailed. */
  async send(): Promise<SentMail[]> {
    return await this.#handOver(await this.#mailable());
  }

  /** Sends another mail to one subscriber. */
  async write(subscriberId: string, email: string): Promise<SentMail> {
    return (await this.#handOver([{ subscriberId, email }]))[0]!;
  }

  async mailable(): Promise<string[]> {
    return (await this.#mailable()).map(({ email }) => email).sort();
  }

  /** Those of some addresses that no mail at all may go to. */
  async suppressed(emails: string[]): Promise<string[]> {
    const { suppressed } = await this.#life.list_suppressed_addresses({ emails }, this.#caller);
    return suppressed.map(({ email }) => email).sort();
  }

  /** Records a report as the provider's webhook brings it. */
  async report(mail: SentMail, report: Report, { byRecipient }: { byRecipient: boolean }): Promise<void> {
    const { email, messageId } = mail;
    const organizationId = uuidOf('org', this.tenant.organizationId)!;
    const path = { organizationId, messageId, period: thisMonth() };
    const traces = byRecipient
      ? { returnPath: null, messageId: `<${messageId}@shop.internal>`, address: email }
      : { returnPath: `b.${tokens.seal('return-path', path)}@mail.internal`, messageId: null, address: null };
    const reports: ProviderReport[] = [
      report.kind === 'COMPLAINED'
        ? { ...traces, ...report, feedbackType: 'abuse', provider: 'provider.internal' }
        : { ...traces, ...report, type: null, category: null },
    ];
    const { unknown } = await this.harness.client(feedbackRequests).record_provider_reports({ reports }, this.#caller);
    if (unknown > 0) throw new Error(`the report about ${email} found no message`);
  }

  async erase(): Promise<void> {
    const { manager } = this.harness.dataSource('delivery');
    while ((await eraseSome(new ErasureRepository(manager), hashEmail)) > 0);
  }

  async deliver(): Promise<void> {
    await this.harness.deliverEvents();
  }

  get #caller() {
    return this.harness.caller(this.tenant);
  }
  get #life() {
    return this.harness.client(subscriberLifeRequests);
  }
  get #links() {
    return this.harness.client(subscriberRequests);
  }

  async #mailable(): Promise<{ subscriberId: string; email: string }[]> {
    const filters = [{ type: 'STRING', field: 'email', operator: 'ENDS_WITH', value: `@${this.mailDomain}` }];
    const audience = { audienceId: newId('aud'), purpose: 'SEND' as const, filters };
    const { audienceId, pages } = await this.#links.freeze_audience(audience, this.#caller);
    if (pages === 0) return [];
    const page = { audienceId, pageNumber: 0, showIf: [] };
    const { recipients } = await this.#links.get_audience_page(page, this.#caller);
    return recipients.filter(({ status, suppressed }) => status === 'SUBSCRIBED' && suppressed === null);
  }

  /** Leaves messages as the engine does after a relay took them. */
  async #handOver(recipients: readonly { subscriberId: string; email: string }[]): Promise<SentMail[]> {
    const mails = recipients.map(({ subscriberId, email }) => ({ subscriberId, email, messageId: newUuid() }));
    await this.harness.dataSource('delivery').query(
      `insert into message (organization_id, message_id, period, kind, subscriber_id, email, subject, state, accepted_at)
       select $1, m, $2, 'TRANSACTIONAL', s, e, 'News', 'SENT', clock_timestamp() from unnest($3::uuid[], $4::uuid[], $5::text[]) u(m, s, e)`,
      [
        uuidOf('org', this.tenant.organizationId),
        `${thisMonth()}-01`,
        mails.map(({ messageId }) => messageId),
        mails.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        mails.map(({ email }) => email),
      ],
    );
    return mails;
  }
}

const oneClick = { source: 'one-click' as const, campaignId: null, messageId: null };

const thisMonth = (): string => new Date(Date.now()).toISOString().slice(0, 7);
