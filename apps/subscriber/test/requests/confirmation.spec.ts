import { beforeAll, describe, expect, it } from '@jest/globals';
import { messageRequests, domainRequests, subscriberLifeRequests } from '#contracts';
import { createdAtOf, uuidOf } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { createLogger } from '#observability';
import { OrganizationSettingsCache } from '#service-host';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { sendConfirmations } from '../../src/confirmation/confirmation.job.js';
import { ConfirmationRepository } from '../../src/confirmation/confirmation.repository.js';
import { PublicLinks } from '../../src/link/public-links.service.js';
import { rowOf, setBan, reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person } from '../subscriber-fixture.js';

const keys = { MASTER_KEY: environmentFor('').MASTER_KEY!, PUBLIC_URL: 'http://localhost:3000' };

describe('double opt-in', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  let settings: OrganizationSettingsCache;
  const send = () =>
    sendConfirmations({
      confirmations: new ConfirmationRepository(harness.dataSource('subscriber').manager),
      settings,
      delivery: harness.client(messageRequests),
      links: new PublicLinks(keys),
      domain: harness.client(domainRequests),
      log: createLogger('spec', 'silent'),
    });
  const life = () => harness.client(subscriberLifeRequests);
  /** Messages to an address that delivery received, oldest first. */
  const mailsTo = async (email: string) => {
    const rows: { subject: string; kind: string; raw: Buffer }[] = await harness.dataSource('delivery').query(
      `select m.subject, m.kind, c.raw from message m join message_content c using (period, organization_id, message_id)
       where m.email = $1 order by m.message_id`,
      [email],
    );
    return rows.map(({ raw, ...row }) => ({ ...row, raw: raw.toString() }));
  };
  const linkIn = (raw: string) => {
    // Base64 of a signature may have "/s/" too.
    const token = /https?:\/\/\S+\/s\/([\w-]+)/.exec(raw.replaceAll('=\r\n', ''))![1]!;
    const link = new LinkTokens(deriveKey(keys.MASTER_KEY, 'links')).open('confirm', token)!;
    return { ...link, madeAt: createdAtOf(link.messageId!) };
  };
  const confirm = (subscriberId: string, change: object = {}, by = tenant) => {
    const evidence = { linkMadeAt: new Date().toISOString(), ip: '192.0.2.7', userAgent: 'Mail/1' };
    return life().confirm_subscription({ subscriberId, ...evidence, ...change }, harness.caller(by));
  };
  /** Ages the confirmation message of a subscriber. */
  const age = (id: string, hours: number) =>
    harness
      .dataSource('subscriber')
      .query(
        `update subscriber set confirmation_sent_at = confirmation_sent_at - make_interval(hours => $2) where subscriber_id = $1`,
        [uuidOf('sub', id), hours],
      );
  beforeAll(async () => {
    tenant = await organization(harness, { doubleOptIn: true });
    otherTenant = await organization(harness, { doubleOptIn: true });
    settings = new OrganizationSettingsCache(harness.bus);
  });

  it('leads to the web domain of the organization, once it is verified', async () => {
    const branded = await organization(harness, { doubleOptIn: true });
    const added = { ...branded, hostname: 'links.branded.example' };
    await harness.client(domainRequests).add_web_domain(added, harness.caller({ organizationId: '' }));
    await harness
      .dataSource('domain')
      .query(`update web_domain set status = 'VERIFIED' where hostname = $1`, [added.hostname]);
    const { id } = await person(harness, branded, { email: 'branded@example.com' });
    await send();
    const [mail] = await mailsTo('branded@example.com');
    expect(mail!.raw.replaceAll('=\r\n', '')).toContain('http://links.branded.example/s/');
    expect(linkIn(mail!.raw).subscriberId).toBe(uuidOf('sub', id));
  });

  it('sends newcomers one transactional message whose link is theirs', async () => {
    const { id } = await person(harness, tenant, { email: 'new@example.com' });
    expect(await send()).toBe(1);
    expect(await send()).toBe(0);
    const [mail, ...more] = await mailsTo('new@example.com');
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      kind: 'TRANSACTIONAL',
      subject: 'Please confirm your subscription to An organization',
    });
    expect(mail!.raw).not.toMatch(/^List-Unsubscribe/m);
    expect(linkIn(mail!.raw)).toMatchObject({ subscriberId: uuidOf('sub', id), campaignId: null });
    expect(await rowOf(harness, id)).toMatchObject({
      confirmation_due_at: null,
      confirmation_sent_at: expect.any(Date),
    });
  });

  it('sends a message once though its process ended before it could note that', async () => {
    const { id } = await person(harness, tenant, { email: 'crash@example.com' });
    await send();
    await harness
      .dataSource('subscriber')
      .query(
        `update subscriber set confirmation_due_at = now(), confirmation_sent_at = null where subscriber_id = $1`,
        [uuidOf('sub', id)],
      );
    expect(await send()).toBe(1);
    expect(await mailsTo('crash@example.com')).toHaveLength(1);
  });

  it('waits while delivery is away, and sends then', async () => {
    const { id } = await person(harness, tenant, { email: 'wait@example.com' });
    expect(await harness.bus.without('delivery', send)).toBe(0);
    const due = () => rowOf(harness, id).then((row) => row.confirmation_due_at as Date | null);
    expect((await due())!.getTime()).toBeGreaterThan(Date.now());
    await harness
      .dataSource('subscriber')
      .query(`update subscriber set confirmation_due_at = now() where subscriber_id = $1`, [uuidOf('sub', id)]);
    expect(await send()).toBe(1);
    expect(await due()).toBeNull();
  });

  it('confirms with the evidence of the button, fires SUBSCRIBED first and then the withheld tags', async () => {
    const { id } = await person(harness, tenant, { email: 'sure@example.com', tags: ['early'] });
    await reportedSince(harness);
    expect(await confirm(id)).toEqual({ outcome: 'CONFIRMED', email: 'sure@example.com' });
    expect(await rowOf(harness, id)).toMatchObject({
      status: 'SUBSCRIBED',
      confirmed_at: expect.any(Date),
      confirmed_ip: '192.0.2.7',
      confirmed_agent: 'Mail/1',
      confirmation_due_at: null,
    });
    expect(await reportedSince(harness)).toEqual([
      ['subscriber.subscribed', true],
      ['tag.added', 'early', true],
    ]);
    expect((await historyOf(harness, tenant, 'sure@example.com'))[0]).toBe('SUBSCRIBED');
    expect(await confirm(id, { ip: '192.0.2.8' })).toMatchObject({ outcome: 'CONFIRMED' });
    expect(await reportedSince(harness)).toEqual([]);
    expect(await rowOf(harness, id)).toMatchObject({ confirmed_ip: '192.0.2.7' });
  });

  it('takes a link for 7 days, and only for the address it was made for', async () => {
    const { id } = await person(harness, tenant, { email: 'late@example.com' });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000 - 1_000).toISOString();
    expect(await confirm(id, { linkMadeAt: daysAgo(7) })).toMatchObject({ outcome: 'EXPIRED' });
    const before = new Date(Date.now() - 1).toISOString();
    await harness.data('update_subscriber', { subscriber: id, email: 'moved@example.com' }, tenant);
    expect(await confirm(id, { linkMadeAt: before })).toMatchObject({ outcome: 'EXPIRED' });
    await send();
    const { madeAt } = linkIn((await mailsTo('moved@example.com'))[0]!.raw);
    expect(await confirm(id, { linkMadeAt: madeAt.toISOString() })).toMatchObject({ outcome: 'CONFIRMED' });
  });

  it('confirms no subscriber who unsubscribed, is suppressed, deleted, or of another organization', async () => {
    const gone = await person(harness, tenant, { email: 'gone@example.com' });
    await harness.data('unsubscribe', { subscriberId: gone.id }, tenant);
    const banned = await person(harness, tenant, { email: 'banned@example.com' });
    await setBan(harness, tenant, banned.email);
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com' });
    for (const id of [gone.id, banned.id, foreign.id, 'nonsense'])
      expect(await confirm(id)).toMatchObject({ outcome: 'NOT_PENDING' });
    expect(await rowOf(harness, gone.id)).toMatchObject({ status: 'UNSUBSCRIBED', confirmed_at: null });
    expect(await rowOf(harness, foreign.id)).toMatchObject({ status: 'PENDING_CONFIRMATION' });
  });

  it('sends again at most once an hour, asked by the page or by another add', async () => {
    const { id } = await person(harness, tenant, { email: 'again@example.com' });
    const ask = () => life().resend_confirmation({ subscriberId: id }, harness.caller(tenant));
    expect(await ask()).toEqual({ sent: true });
    await send();
    expect(await ask()).toEqual({ sent: false });
    await person(harness, tenant, { email: 'again@example.com' });
    expect(await send()).toBe(0);
    await age(id, 1);
    expect(await ask()).toEqual({ sent: true });
    expect(await send()).toBe(1);
    await age(id, 1);
    await person(harness, tenant, { email: 'AGAIN@example.com' });
    expect(await send()).toBe(1);
    expect(await mailsTo('again@example.com')).toHaveLength(3);
    const links = (await mailsTo('again@example.com')).map(({ raw }) => linkIn(raw).messageId);
    expect(new Set(links).size).toBe(3);
    await confirm(id);
    await age(id, 1);
    expect(await ask()).toEqual({ sent: false });
  });

  it('sends nothing to the imported, the promoted and the unsubscribed', async () => {
    await harness.data('import_subscribers', { subscribers: [{ email: 'imported@example.com' }] }, tenant);
    await person(harness, tenant, { email: 'promoted@example.com' });
    await person(harness, tenant, { email: 'promoted@example.com', skipDoubleOptIn: true });
    await person(harness, tenant, { email: 'left@example.com' });
    await harness.data('unsubscribe', { email: 'left@example.com' }, tenant);
    await send();
    for (const name of ['imported', 'promoted', 'left']) expect(await mailsTo(`${name}@example.com`)).toEqual([]);
  });
});
