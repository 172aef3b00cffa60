import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deliveryRequests, domainRequests, subscriberLifeRequests } from '#contracts';
import { createdAtOf, uuidOf } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { createLogger } from '#observability';
import { OrganizationSettingsCache } from '#service-host';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { sendConfirmations } from '../../src/confirmation/confirmation.job.js';
import { ConfirmationRepository } from '../../src/confirmation/confirmation.repository.js';
import { PublicLinks } from '../../src/link/public-links.service.js';
import { rowOf, setBan, reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person } from '../subscriber-fixture.js';

const keys = { MASTER_KEY: environmentFor('').MASTER_KEY!, PUBLIC_URL: 'http://localhost:3000' };

describe('double opt-in', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  let settings: OrganizationSettingsCache;
  const send = () =>
    sendConfirmations({
      confirmations: new ConfirmationRepository(tidings.dataSource('subscriber').manager),
      settings,
      delivery: tidings.client(deliveryRequests),
      links: new PublicLinks(keys),
      domain: tidings.client(domainRequests),
      log: createLogger('spec', 'silent'),
    });
  const life = () => tidings.client(subscriberLifeRequests);
  /** Messages that delivery was given for an address, oldest first. */
  const mailsTo = async (email: string) => {
    const rows: { subject: string; kind: string; raw: Buffer }[] = await tidings.dataSource('delivery').query(
      `select m.subject, m.kind, c.raw from message m join message_content c using (period, organization_id, message_id)
       where m.email = $1 order by m.message_id`,
      [email],
    );
    return rows.map(({ raw, ...row }) => ({ ...row, raw: raw.toString() }));
  };
  const linkIn = (raw: string) => {
    const token = /\/s\/([\w-]+)/.exec(raw.replaceAll('=\r\n', ''))![1]!;
    const link = new LinkTokens(deriveKey(keys.MASTER_KEY, 'links')).open('confirm', token)!;
    return { ...link, madeAt: createdAtOf(link.messageId!) };
  };
  const confirm = (subscriberId: string, change: object = {}, tenant = ours) => {
    const evidence = { linkMadeAt: new Date().toISOString(), ip: '192.0.2.7', userAgent: 'Mail/1' };
    return life().confirm_subscription({ subscriberId, ...evidence, ...change }, tidings.caller(tenant));
  };
  /** Lets time pass for what was sent to somebody. */
  const age = (id: string, hours: number) =>
    tidings
      .dataSource('subscriber')
      .query(
        `update subscriber set confirmation_sent_at = confirmation_sent_at - make_interval(hours => $2) where subscriber_id = $1`,
        [uuidOf('sub', id), hours],
      );
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings, { doubleOptIn: true });
    theirs = await organization(tidings, { doubleOptIn: true });
    settings = new OrganizationSettingsCache(tidings.bus);
  });
  afterAll(() => tidings.stop());

  it('leads to the web domain of the organization, once it is verified', async () => {
    const branded = await organization(tidings, { doubleOptIn: true });
    const added = { ...branded, hostname: 'links.branded.example' };
    await tidings.client(domainRequests).add_web_domain(added, tidings.caller({ organizationId: '' }));
    await tidings
      .dataSource('domain')
      .query(`update web_domain set status = 'VERIFIED' where hostname = $1`, [added.hostname]);
    const { id } = await person(tidings, branded, { email: 'branded@example.com' });
    await send();
    const [mail] = await mailsTo('branded@example.com');
    expect(mail!.raw.replaceAll('=\r\n', '')).toContain('http://links.branded.example/s/');
    expect(linkIn(mail!.raw).subscriberId).toBe(uuidOf('sub', id));
  });

  it('sends newcomers one transactional message whose link is theirs', async () => {
    const { id } = await person(tidings, ours, { email: 'new@example.com' });
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
    expect(await rowOf(tidings, id)).toMatchObject({
      confirmation_due_at: null,
      confirmation_sent_at: expect.any(Date),
    });
  });

  it('sends a message once though its process ended before it could note that', async () => {
    const { id } = await person(tidings, ours, { email: 'crash@example.com' });
    await send();
    await tidings
      .dataSource('subscriber')
      .query(
        `update subscriber set confirmation_due_at = now(), confirmation_sent_at = null where subscriber_id = $1`,
        [uuidOf('sub', id)],
      );
    expect(await send()).toBe(1);
    expect(await mailsTo('crash@example.com')).toHaveLength(1);
  });

  it('waits while delivery is away, and sends then', async () => {
    const { id } = await person(tidings, ours, { email: 'wait@example.com' });
    expect(await tidings.bus.without('delivery', send)).toBe(0);
    const due = () => rowOf(tidings, id).then((row) => row.confirmation_due_at as Date | null);
    expect((await due())!.getTime()).toBeGreaterThan(Date.now());
    await tidings
      .dataSource('subscriber')
      .query(`update subscriber set confirmation_due_at = now() where subscriber_id = $1`, [uuidOf('sub', id)]);
    expect(await send()).toBe(1);
    expect(await due()).toBeNull();
  });

  it('confirms with the evidence of the button, fires SUBSCRIBED first and then the withheld tags', async () => {
    const { id } = await person(tidings, ours, { email: 'sure@example.com', tags: ['early'] });
    await reportedSince(tidings);
    expect(await confirm(id)).toEqual({ outcome: 'CONFIRMED', email: 'sure@example.com' });
    expect(await rowOf(tidings, id)).toMatchObject({
      status: 'SUBSCRIBED',
      confirmed_at: expect.any(Date),
      confirmed_ip: '192.0.2.7',
      confirmed_agent: 'Mail/1',
      confirmation_due_at: null,
    });
    expect(await reportedSince(tidings)).toEqual([
      ['subscriber.subscribed', true],
      ['tag.added', 'early', true],
    ]);
    expect((await historyOf(tidings, ours, 'sure@example.com'))[0]).toBe('SUBSCRIBED');
    expect(await confirm(id, { ip: '192.0.2.8' })).toMatchObject({ outcome: 'CONFIRMED' });
    expect(await reportedSince(tidings)).toEqual([]);
    expect(await rowOf(tidings, id)).toMatchObject({ confirmed_ip: '192.0.2.7' });
  });

  it('takes a link for 7 days, and only for the address it was made for', async () => {
    const { id } = await person(tidings, ours, { email: 'late@example.com' });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000 - 1_000).toISOString();
    expect(await confirm(id, { linkMadeAt: daysAgo(7) })).toMatchObject({ outcome: 'EXPIRED' });
    const before = new Date(Date.now() - 1).toISOString();
    await tidings.data('update_subscriber', { subscriber: id, email: 'moved@example.com' }, ours);
    expect(await confirm(id, { linkMadeAt: before })).toMatchObject({ outcome: 'EXPIRED' });
    await send();
    const { madeAt } = linkIn((await mailsTo('moved@example.com'))[0]!.raw);
    expect(await confirm(id, { linkMadeAt: madeAt.toISOString() })).toMatchObject({ outcome: 'CONFIRMED' });
  });

  it('confirms nobody who unsubscribed, is marked, gone, or of another organization', async () => {
    const gone = await person(tidings, ours, { email: 'gone@example.com' });
    await tidings.data('unsubscribe', { subscriberId: gone.id }, ours);
    const banned = await person(tidings, ours, { email: 'banned@example.com' });
    await setBan(tidings, ours, banned.email);
    const foreign = await person(tidings, theirs, { email: 'foreign@example.com' });
    for (const id of [gone.id, banned.id, foreign.id, 'nonsense'])
      expect(await confirm(id)).toMatchObject({ outcome: 'NOT_PENDING' });
    expect(await rowOf(tidings, gone.id)).toMatchObject({ status: 'UNSUBSCRIBED', confirmed_at: null });
    expect(await rowOf(tidings, foreign.id)).toMatchObject({ status: 'PENDING_CONFIRMATION' });
  });

  it('sends again at most once an hour, asked by the page or by another add', async () => {
    const { id } = await person(tidings, ours, { email: 'again@example.com' });
    const ask = () => life().resend_confirmation({ subscriberId: id }, tidings.caller(ours));
    expect(await ask()).toEqual({ sent: true });
    await send();
    expect(await ask()).toEqual({ sent: false });
    await person(tidings, ours, { email: 'again@example.com' });
    expect(await send()).toBe(0);
    await age(id, 1);
    expect(await ask()).toEqual({ sent: true });
    expect(await send()).toBe(1);
    await age(id, 1);
    await person(tidings, ours, { email: 'AGAIN@example.com' });
    expect(await send()).toBe(1);
    expect(await mailsTo('again@example.com')).toHaveLength(3);
    const links = (await mailsTo('again@example.com')).map(({ raw }) => linkIn(raw).messageId);
    expect(new Set(links).size).toBe(3);
    await confirm(id);
    await age(id, 1);
    expect(await ask()).toEqual({ sent: false });
  });

  it('sends nothing to the imported, the promoted and the unsubscribed', async () => {
    await tidings.data('import_subscribers', { subscribers: [{ email: 'imported@example.com' }] }, ours);
    await person(tidings, ours, { email: 'promoted@example.com' });
    await person(tidings, ours, { email: 'promoted@example.com', skipDoubleOptIn: true });
    await person(tidings, ours, { email: 'left@example.com' });
    await tidings.data('unsubscribe', { email: 'left@example.com' }, ours);
    await send();
    for (const name of ['imported', 'promoted', 'left']) expect(await mailsTo(`${name}@example.com`)).toEqual([]);
  });
});
