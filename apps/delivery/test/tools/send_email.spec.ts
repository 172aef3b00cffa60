import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { domainRequests, emailTools, subscriberLifeRequests } from '#contracts';
import { uuidOf } from '#database';
import { CallContexts, readEnvironment } from '#service-host';
import { until } from '#testing';
import type { Tenant } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { deliveryEnvironment } from '../../src/config.js';
import { emailParts } from '../../src/delivery.module.js';
import { implementEmailTools } from '../../src/accept/email/email.tools.js';
import { twoTenants } from '../send-fixture.js';
import type { TwoTenants } from '../send-fixture.js';

interface Sent {
  id: string;
  status: string;
  messageId: string;
  warnings?: string[];
}

describe('send_email', () => {
  let { world, sink, tenant: tenant, otherTenant: otherTenant } = {} as TwoTenants;
  beforeAll(async () => {
    ({ world, sink, tenant: tenant, otherTenant: otherTenant } = await twoTenants());
    world.engine(sink.url);
  });
  afterAll(() => world.stop().then(() => sink.stop()));

  const mail = (change: object = {}) => ({
    from: `Garden Shop <orders@${tenant.sender.domain}>`,
    to: 'ada@real.internal',
    subject: 'Your receipt',
    html: '<p>Hello <a href="https://shop.internal/o/1">there</a> {{name}}</p>',
    ...change,
  });
  const send = (change: object = {}) => world.tidings.data<Sent>('send_email', mail(change), tenant);
  const refusal = (change: object, by = tenant) => world.tidings.refusal('send_email', mail(change), by);
  const issuesOf = async (change: object) => {
    const outcome = await world.tidings.call('send_email', mail(change), tenant);
    return outcome.ok ? [] : (outcome.error.issues ?? []).map(({ path }) => path.join('.'));
  };
  const document = (text: string, showIf?: object[]) => {
    const paragraph = { type: 'paragraph', content: [{ type: 'text', text }] };
    const section = { type: 'section', ...(showIf && { attrs: { showIf } }), content: [paragraph] };
    return { html: undefined, tiptap: { type: 'doc', content: [section] } };
  };
  const headersOf = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, value]));
  const mailsTo = (address: string) => sink.messages.filter(({ to }) => to === address);
  const arrived = async (address: string, count = 1) => {
    await until(`${address} has ${count}`, () => mailsTo(address).length >= count);
    return mailsTo(address).at(-1)!;
  };
  const head = (raw: string) => raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  const statusOf = async (email: string) =>
    (await world.tidings.data<{ subscriber: { status: string } }>('get_subscriber', { email }, tenant)).subscriber
      .status;

  it('warns of variables without a value: in HTML with its subject, and in separate text', async () => {
    const warned = async (change: object) => (await send({ to: 'warned@example.com', ...change })).warnings ?? [];
    const { tiptap } = document('Dear {{firstName | "you"}}');
    expect(await warned({ subject: 'For {{firstName | "you"}}' })).toEqual([
      'Goes out as it is written: {{firstName}}, {{name}}. Only a document (tiptap) is filled in.',
    ]);
    expect(await warned({ html: '<p>Hello</p>' })).toEqual([]);
    expect(await warned({ html: undefined, tiptap, subject: 'For {{name | "you"}}' })).toEqual([]);
    expect(await warned({ html: undefined, tiptap, text: 'Dear {{name}}' })).toEqual([
      expect.stringContaining('{{name}}'),
    ]);
  });

  it('reaches who is in to and in cc, signed, with the caller’s headers and none of a campaign’s', async () => {
    const answer = await send({
      to: ['"Ada, L." <Ada@real.internal>'],
      cc: ['Bob <bob@real.internal>', 'eve@example.com', 'ADA@real.internal'],
      replyTo: ['help@shop.internal'],
      headers: { 'X-Order': '4711' },
      tags: [{ name: 'kind', value: 'receipt' }],
      preview: 'Soon & <safe>',
    });
    expect(answer).toEqual({
      id: expect.stringMatching(/^msg_/),
      status: 'QUEUED',
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@.+>$/),
      warnings: [expect.stringContaining('{{name}}')],
    });
    const [ada, bob] = [await arrived('Ada@real.internal'), await arrived('bob@real.internal')];
    expect(ada.raw).toBe(bob.raw);
    expect(ada.from).not.toBe(bob.from);
    expect(head(ada.raw).split('\r\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^DKIM-Signature: /),
        `From: Garden Shop <orders@${tenant.sender.domain}>`,
        'To: "Ada, L." <Ada@real.internal>',
        'Cc: Bob <bob@real.internal>, eve@example.com',
        'Reply-To: help@shop.internal',
        'Subject: Your receipt',
        `Message-ID: ${answer.messageId}`,
        'Auto-Submitted: auto-generated',
        'X-Order: 4711',
      ]),
    );
    expect(head(ada.raw)).not.toMatch(/List-|Feedback-ID/);
    const body = ada.raw.slice(ada.raw.indexOf('\r\n\r\n'));
    expect(body).toContain('Hello there (https://shop.internal/o/1) {{name}}');
    expect(body).toContain('Soon &amp; &lt;safe&gt;');
    expect(mailsTo('eve@example.com')).toEqual([]);
  });

  it('creates a TRANSACTIONAL subscriber for a new address, sends to unsubscribed ones, and records their histories', async () => {
    await world.tidings.data('add_subscriber', { email: 'left@real.internal' }, tenant);
    await world.tidings.data('unsubscribe', { email: 'left@real.internal' }, tenant);
    const { id } = await send({ to: 'stranger@real.internal', cc: ['left@real.internal', 'test@example.com'] });
    await arrived('left@real.internal');
    expect(await statusOf('left@real.internal')).toBe('UNSUBSCRIBED');
    expect(await statusOf('stranger@real.internal')).toBe('TRANSACTIONAL');
    const history = async (email: string) => {
      await world.tidings.deliverEvents();
      const { events } = await world.tidings.data<{ events: { type: string; data: object }[] }>(
        'list_subscriber_events',
        { email },
        tenant,
      );
      return events.filter(({ type }) => type.startsWith('EMAIL_'));
    };
    for (const email of ['stranger@real.internal', 'test@example.com', 'left@real.internal']) {
      await until(`${email} has a history`, async () => (await history(email)).length === 2);
    }
    const [received, sent] = await history('stranger@real.internal');
    expect([received!.type, sent!.type]).toEqual(['EMAIL_RECEIVED', 'EMAIL_SENT']);
    expect(sent!.data).toEqual({ emailId: id, campaignId: null, subject: 'Your receipt' });
  });

  it('fills a document, its subject and preview for the recipient; text as given, or none', async () => {
    await world.tidings.data('add_subscriber', { email: 'doc@real.internal', name: 'Grace Hopper' }, tenant);
    const { tiptap } = document('Dear {{firstName}}, {{unsubscribeUrl}}');
    await send({ html: undefined, tiptap, to: 'doc@real.internal', subject: 'For {{name}}', text: 'Plain {{name}}' });
    const { raw } = await arrived('doc@real.internal');
    expect(head(raw)).toMatch(/^Subject: For Grace Hopper$/m);
    expect(raw).toContain('Dear Grace');
    expect(raw).toContain('Plain {{name}}');
    await send({ html: undefined, tiptap: JSON.stringify(tiptap), to: 'doc@real.internal', text: '' });
    const second = await arrived('doc@real.internal', 2);
    expect(head(second.raw)).toMatch(/^Content-Type: text\/html; charset=utf-8$/m);
  });

  it('leads a document’s own links to the web domain of the organization, once it is verified', async () => {
    const base = async (to: string) => {
      await send({ ...document('Bye {{unsubscribeUrl}}'), to });
      const { raw } = await arrived(to);
      return /(https?:\/\/[^/\s]+)\/u\/[\w-]{20}/.exec(raw.replaceAll('=\r\n', ''))![1];
    };
    const hostname = 'links.garden-shop.internal';
    const { tidings: harness } = world;
    const added = { organizationId: tenant.organizationId, hostname };
    await harness.client(domainRequests).add_web_domain(added, harness.caller({ organizationId: '' }));
    expect(await base('pending-host@real.internal')).toBe('http://localhost:3000');
    await harness
      .dataSource('domain')
      .query(`update web_domain set status = 'VERIFIED' where hostname = $1`, [hostname]);
    expect(await base('own-host@real.internal')).toBe(`http://${hostname}`);
  });

  it('describes its effect, and refuses before the confirmation', async () => {
    const described = await world.tidings.describe('send_email', mail({ cc: ['eve@example.com'] }), tenant);
    expect(described).toMatchObject({
      data: { message: expect.stringContaining('Sends "Your receipt" now to ada@real.internal and 1 in cc from') },
    });
    const refused = await world.tidings.describe('send_email', mail({ from: 'a@elsewhere.internal' }), tenant);
    expect(refused).toMatchObject({ error: { reason: 'SENDER_DOMAIN_UNVERIFIED' } });
    const people = await world.tidings.data<{ total: number }>('list_subscribers', { query: 'nobody@' }, tenant);
    await world.tidings.describe('send_email', mail({ to: 'nobody@real.internal' }), tenant);
    expect((await world.tidings.data<{ total: number }>('list_subscribers', { query: 'nobody@' }, tenant)).total).toBe(
      people.total,
    );
  });

  it('sends once for an idempotencyKey, answers the first result again, and refuses another body', async () => {
    const asked = { to: 'once@real.internal', idempotencyKey: 'order 4711' };
    const [first, twin] = await Promise.all([send(asked), send(asked)]);
    expect(twin).toEqual(first);
    expect(await send(asked)).toEqual(first);
    expect(await world.tidings.describe('send_email', mail(asked), tenant)).toMatchObject({
      data: first,
      replayed: true,
    });
    expect(await refusal({ ...asked, subject: 'Another' })).toBe('IDEMPOTENCY_KEY_REUSED');
    await send({ to: 'once@real.internal', subject: 'The end' });
    await arrived('once@real.internal', 2);
    expect(mailsTo('once@real.internal')).toHaveLength(2);
  });

  it('refuses a domain that is not ours or only above the verified one', async () => {
    for (const domain of ['elsewhere.internal', `sub.${tenant.sender.domain}`, otherTenant.sender.domain]) {
      expect(await refusal({ from: `a@${domain}` })).toBe('SENDER_DOMAIN_UNVERIFIED');
    }
    expect(await refusal({}, otherTenant)).toBe('SENDER_DOMAIN_UNVERIFIED');
    await world.tidings
      .dataSource('domain')
      .query(`update sending_domain set status = 'PENDING' where domain = $1`, [otherTenant.sender.domain]);
    expect(await refusal({ from: `a@${otherTenant.sender.domain}` }, otherTenant)).toBe('SENDER_DOMAIN_UNVERIFIED');
  });

  it('hears at once that a domain it sent from is no longer verified', async () => {
    const { domain } = tenant.sender;
    const become = async (status: string) => {
      await world.tidings
        .dataSource('domain')
        .query('update sending_domain set status = $1 where domain = $2', [status, domain]);
      world.tidings.bus.broadcast('sending-domain.changed', { organizationId: tenant.organizationId, domain });
    };
    await send({ to: 'before@real.internal' });
    await become('FAILED');
    expect(await refusal({ to: 'after@real.internal' })).toBe('SENDER_DOMAIN_UNVERIFIED');
    await become('VERIFIED');
    await send({ to: 'after@real.internal' });
  });

  it('refuses suppressed recipients, also in cc and after deletion, and sends nothing', async () => {
    const lives = world.tidings.client(subscriberLifeRequests);
    await lives.set_ban({ email: 'banned@real.internal', banned: true }, world.tidings.caller(tenant));
    const email = 'complained@real.internal';
    await world.tidings.data('add_subscriber', { email }, tenant);
    await world.tidings
      .dataSource('subscriber')
      .query(`update subscriber set complained_at = clock_timestamp(), status = 'COMPLAINED' where email = $1`, [
        email,
      ]);
    expect(await refusal({ to: 'banned@real.internal' })).toBe('RECIPIENT_SUPPRESSED');
    expect(await refusal({ to: 'fresh@real.internal', cc: ['Complained@real.internal'] })).toBe('RECIPIENT_SUPPRESSED');
    await lives.delete_subscriber({ email }, world.tidings.caller(tenant));
    const outcome = await world.tidings.call('send_email', mail({ to: email }), tenant);
    expect(outcome).toMatchObject({ error: { code: 'REFUSED', message: expect.stringContaining('is COMPLAINED') } });
    for (const nobody of ['fresh@real.internal', email]) {
      expect(await world.tidings.refusal('get_subscriber', { email: nobody }, tenant)).toBe('SUBSCRIBER_NOT_FOUND');
    }
  });

  it('admits five of fifty parallel messages to a mailbox, returns the time of the next, and stores no refusal', async () => {
    const to = 'guarded@real.internal';
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        world.tidings.call('send_email', mail({ to, idempotencyKey: n === 0 ? undefined : `guard ${n}` }), tenant),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(5);
    const refused = outcomes.find((outcome) => !outcome.ok)!;
    if (refused.ok) throw new Error('not refused');
    expect(refused.error).toMatchObject({ code: 'RECIPIENT_GUARD', reason: 'RECIPIENT_GUARD_REACHED' });
    expect(Date.parse(refused.error.retryAt!)).toBeGreaterThan(Date.now() + 300_000);
    expect(refused.error.retryAfter).toBeLessThanOrEqual(600);
    // A recipient beside a guarded mailbox is not counted, and gets nothing.
    for (let n = 0; n < 6; n++) {
      expect(await refusal({ to: 'beside@real.internal', cc: [to] })).toBe('RECIPIENT_GUARD_REACHED');
    }
    await world.database.query(`delete from recipient_guard where mailbox = $1`, [to]);
    const again = outcomes.findIndex(({ ok }, n) => !ok && n > 0);
    await send({ to, idempotencyKey: `guard ${again}` });
    await send({ to: 'beside@real.internal' });
    await arrived('beside@real.internal');
    await arrived(to, 6);
    for (let n = 0; n < 7; n++) await send({ to: 'Eve <eve@EXAMPLE.com>' });
  });

  it('refuses what cannot be a message, all at once', async () => {
    expect(await issuesOf({ from: 'x', to: 'y', cc: ['z'], reply_to: 'q', html: undefined })).toEqual([
      ...['html', 'from', 'to', 'cc.0', 'reply_to'],
    ]);
    expect(await issuesOf({ tiptap: {} })).toEqual(['html']);
    expect(await issuesOf({ reply_to: 'a@x.internal', replyTo: ['b@x.internal'] })).toEqual(['replyTo']);
    expect(await issuesOf({ reply_to: 'A@x.internal', replyTo: ['a@x.internal'], to: 'eve@example.com' })).toEqual([]);
    expect(
      await issuesOf({
        headers: {
          'X-A': 'a\r\nBcc: b@x.internal',
          'x-b': '1',
          'X-B': '2',
          From: 'a',
          'List-Unsubscribe': 'x',
          'a b': '',
        },
      }),
    ).toEqual(['headers.X-A', 'headers.X-B', 'headers.From', 'headers.List-Unsubscribe', 'headers.a b']);
    expect(
      await issuesOf({ cc: Array.from({ length: 40 }, (_, n) => `${'N'.repeat(300)} <n${n}@x.internal>`) }),
    ).toEqual(['headers']);
    expect(await issuesOf({ headers: headersOf(101, 'x') })).toEqual(['headers']);
    expect(await issuesOf({ content: 'x', contentType: 'MARKDOWN', markdown: 'x' })).toEqual([
      ...['content', 'contentType', 'markdown'],
    ]);
    expect(await issuesOf({ to: ['a@x.internal', 'b@x.internal'] })).toEqual(['to']);
  });

  it('refuses a document that is none, or names what transactional mail does not have', async () => {
    expect(await refusal({ html: undefined, tiptap: 'nonsense' })).toBe('CONTENT_INVALID');
    expect(await refusal(document('{{snippet:Footer}}'))).toBe('CONTENT_INVALID');
    expect(await refusal(document('{{onlineUrl}}'))).toBe('CONTENT_INVALID');
    const unknown = document('Hi', [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['no such tag'] }]);
    expect(await refusal(unknown)).toBe('CONTENT_INVALID');
    expect(await issuesOf(unknown)).toEqual([expect.stringMatching(/^tiptap\.showIf\.0/)]);
  });

  it('shows conditional blocks to their audience, and refuses a block whose segment names a deleted target', async () => {
    await world.tidings.data('add_subscriber', { email: 'vip@real.internal', tags: ['vip'] }, tenant);
    const vip = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
    await send({ ...document('For the few', vip), to: 'vip@real.internal' });
    await send({ ...document('For the few', vip), to: 'other@real.internal' });
    expect((await arrived('vip@real.internal')).raw).toContain('For the few');
    expect((await arrived('other@real.internal')).raw).not.toContain('For the few');
    await world.tidings.data('create_segment', { name: 'Few', filters: vip }, tenant);
    await world.tidings
      .dataSource('subscriber')
      .query(`update tag set deleted_at = clock_timestamp() where name = 'vip'`);
    const few = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentName: 'Few' }];
    expect(await refusal(document('For the few', few))).toBe('FILTER_TARGET_GONE');
  });

  it('takes a hundred headers and ten thousand characters, however long they become', async () => {
    for (const headers of [headersOf(100, '漢'.repeat(94)), headersOf(100, 'é')]) {
      await send({ to: 'many@real.internal', subject: '漢'.repeat(998), headers });
    }
    expect(head((await arrived('many@real.internal', 2)).raw).match(/^X-\d/gm)).toHaveLength(100);
  });

  it('puts no line of a caller’s into the headers', async () => {
    await send({
      to: 'line@real.internal',
      subject: 'a\r\nBcc: x@x.internal',
      from: `"A\\"B" <o@${tenant.sender.domain}>`,
    });
    const { raw } = await arrived('line@real.internal');
    expect(head(raw)).not.toMatch(/^Bcc/m);
    expect(head(raw)).toMatch(/^Subject: a Bcc: x@x\.internal$/m);
  });

  it('reaches a mailbox five times out of fifty calls at once, through two processes', async () => {
    const other = new DataSource({ ...world.database.options });
    await other.initialize();
    const elsewhere = new CallContexts('delivery', other, () => undefined);
    const parts = emailParts(readEnvironment(deliveryEnvironment, environmentFor('postgres://localhost/unused')), {
      bus: world.tidings.bus,
    });
    const caller = world.tidings.caller(tenant);
    const args = emailTools.calls.send_email.input.parse(mail({ to: 'crowd@real.internal' }));
    const there = implementEmailTools(elsewhere.plain(), parts).handlers.send_email as unknown as (
      input: object,
      by: object,
    ) => Promise<unknown>;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        n % 2 === 0
          ? world.tidings.call('send_email', mail({ to: 'Crowd@real.internal' }), tenant).then(({ ok }) => ok)
          : there(args, caller).then(
              () => true,
              () => false,
            ),
      ),
    );
    await other.destroy();
    expect(outcomes.filter(Boolean)).toHaveLength(5);
    await until('five arrive', () => sink.messages.filter(({ to }) => /^crowd@/i.test(to)).length === 5);
  });

  it('stores a test address’s mail octet for octet as a real one’s, and spares only the relay', async () => {
    const stored = async (to: string) => {
      const { id, messageId } = await send({ to, subject: 'Twins', headers: { 'X-Order': '1' }, preview: 'Soon' });
      await until('it is settled', async () => (await stateOf(id)).state === 'DELIVERED');
      const { raw, kind, simulated } = await stateOf(id);
      // Expected differences: the recipient, the id (which the boundary is made of), the time and so the signature.
      const rest = raw
        .toString('latin1')
        .replaceAll(to, 'TO')
        .replaceAll(messageId.slice(1, 37), 'ID')
        .replaceAll(messageId.slice(1, 37).replaceAll('-', ''), 'ID')
        .replace(/^Date: .*$/m, 'Date')
        .replace(/ t=\d+;/, ' t')
        .replace(/ bh=[^;]*;/, ' bh')
        .replace(/ b=[^]*?\r\n(?! )/, ' b\r\n');
      return { rest, kind, simulated };
    };
    const stateOf = async (id: string) => {
      const [row] = await world.database.query<[{ state: string; kind: string; simulated: boolean; raw: Buffer }]>(
        `select m.state, m.kind, m.simulated, c.raw from message m join message_content c using (period, organization_id, message_id)
         where m.message_id = $1`,
        [uuidOf('msg', id)],
      );
      return row;
    };
    const [real, test] = [await stored('twin@real.internal'), await stored('twin@example.com')];
    expect([real.simulated, test.simulated]).toEqual([false, true]);
    expect(test).toEqual({ ...real, simulated: true });
    expect(mailsTo('twin@example.com')).toEqual([]);
  });

  it('refuses more mails in a month than the quota allows with QUOTA_REACHED, counting what went before it was set', async () => {
    const own = await world.organization();
    const bound = (mailsPerMonth: number): Tenant => ({
      organizationId: own.organizationId,
      bounds: { plan: 'FREE', quotas: { contacts: null, mailsPerMonth, domains: null } },
    });
    const letter = (to: string) => mail({ from: `hello@${own.sender.domain}`, to });
    await world.tidings.data('send_email', letter('first@example.com'), own);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, n) => world.tidings.call('send_email', letter(`q${n}@example.com`), bound(4))),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(3);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
      error: {
        code: 'PLAN_LIMIT_REACHED',
        message: expect.stringContaining('4 were accepted this month, and this call would add 1'),
      },
    });
    const two = { ...letter('last@example.com'), cc: ['and@example.com'] };
    expect(await world.tidings.refusal('send_email', two, bound(5))).toBe('QUOTA_REACHED');
    await world.tidings.data('send_email', two, bound(6));
  });
});
