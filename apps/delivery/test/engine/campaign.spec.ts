import { describe, expect, it, jest } from '@jest/globals';
import PostalMime from 'postal-mime';
import { trackingRequests } from '#contracts';
import type { DomainEvent } from '#contracts';
import { createdAtOf, newId, uuidOf, wireId } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { until } from '#testing';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { receivedBy } from '../receiving-server.js';
import { people, SendFixture, sentMessages, template } from '../send-fixture.js';
import type { MessageRow } from '../send-fixture.js';

jest.setTimeout(120_000);

const tokens = new LinkTokens(deriveKey(environmentFor('').MASTER_KEY!, 'links'));
const linksOf = (html: string, route: string) =>
  [...html.matchAll(new RegExp(`http://localhost:3000/${route}/([\\w-]+)`, 'g'))].map(([, token]) => token!);

describe('a campaign', () => {
  const world = SendFixture.ofSuite({}, 1);
  const named = (events: DomainEvent[], name: string) => events.filter((event) => event.name === name);

  function reportsGroups(events: DomainEvent[]): void {
    const groups = named(events, 'messages.settled') as DomainEvent<'messages.settled'>[];
    expect(groups.length).toBeLessThan(400);
    const counted = groups.flatMap(({ data }) => data.counts);
    const sum = (simulated: boolean) =>
      counted.filter((one) => one.simulated === simulated).reduce((all, { delivered }) => all + delivered, 0);
    expect([sum(true), sum(false)]).toEqual([100, 1100]);
    const values = groups.flatMap(({ data }) => data.subjectValues ?? []);
    expect(values).toHaveLength(1200);
    expect(values.every((some) => some.length === 1 && /^Person\d+$/.test(some[0]!))).toBe(true);
    const [started] = named(events, 'send.started') as DomainEvent<'send.started'>[];
    expect(started!.data).toMatchObject({ campaignName: 'News of May', subjectParts: ['News for ', ''] });
  }

  it('reaches 1,200 people on three pages once each; test addresses only in the books', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const audience = await world.audience(tenant, [...people(1100), ...people(100, 'example.com')]);
    expect(audience).toMatchObject({ total: 1200, pages: 3 });
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress).toMatchObject({ state: 'DONE', total: 1200, sent: 1200, delivered: 1200, pending: 0 });
    expect(progress).toMatchObject({ failed: 0, skipped: {}, inDoubt: 0, deferred: 0, waitingFor: null });
    expect(sink.counts.size).toBe(1100);
    expect([...sink.counts.values()].every((n) => n === 1)).toBe(true);
    expect([...sink.counts.keys()].some((email) => email.endsWith('example.com'))).toBe(false);

    const events = (await world.tidings.deliverEvents()).filter(
      ({ organizationId }) => organizationId === tenant.organizationId,
    );
    const sent = sentMessages(events);
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(1200);
    expect(sent).toHaveLength(1200);
    expect(sent.every(({ campaignId }) => campaignId === send.campaignId)).toBe(true);
    reportsGroups(events);
    expect(named(events, 'send.finished').map((event) => event.data)).toEqual([
      { sendId: send.sendId, campaignId: send.campaignId, outcome: 'SENT', failure: null, at: progress.finishedAt },
    ]);
  });

  it('is personalised, signed and aligned by DKIM, SPF and DMARC, and carries links that open', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const audience = await world.audience(tenant, [{ email: 'Ann.Bee@people.internal', name: 'Ann Bee' }]);
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    await world.finished(send);
    const [{ raw, from, to }] = sink.messages as [{ raw: string; from: string; to: string }];
    expect(to).toBe('Ann.Bee@people.internal');

    const mail = await new PostalMime().parse(raw);
    expect(mail.subject).toBe('News for Ann');
    expect(mail.text).toContain('Hello Ann, see our shop');
    expect(mail.from).toMatchObject({ address: tenant.sender.email, name: tenant.sender.displayName });
    const [{ messageId: uuid }] = (await world.messages(send)) as [MessageRow];
    const [, shown, host] = /^<(.+)@(.+)>$/.exec(mail.messageId!)!;
    expect([tokens.idBehind(shown!), host]).toEqual([uuid, tenant.sender.domain]);

    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(header('list-id')).toContain(`<${tenant.organizationId}.${tenant.sender.domain}>`);
    expect(header('feedback-id')).toBe(`${send.campaignId}:${tenant.organizationId}:campaign:tidings`);
    const ids = { organizationId: uuidOf('org', tenant.organizationId), messageId: uuid };
    expect(tokens.open('unsubscribe', linksOf(header('list-unsubscribe')!, 'u')[0]!)).toMatchObject(ids);
    expect(tokens.open('return-path', from.slice(2, from.indexOf('@')))).toMatchObject(ids);
    expect(from.endsWith(`@${tenant.sender.mailFromDomain}`)).toBe(true);
    expect(tokens.open('click', linksOf(mail.html!, 'c')[0]!)).toMatchObject({
      ...ids,
      link: 0,
      target: 'https://shop.internal/?id=Ann.Bee%40people.internal',
    });
    expect(tokens.open('open', linksOf(mail.html!, 'o')[0]!)).toMatchObject(ids);
    expect(tokens.open('unsubscribe', linksOf(mail.html!, 'u')[0]!)).toMatchObject(ids);

    const { domain, mailFromDomain } = tenant.sender;
    const pass = { dkim: ['pass'], spf: 'pass', dmarc: 'pass', aligned: { dkim: domain, spf: mailFromDomain } };
    expect(await receivedBy(world.tidings, tenant, { raw, from })).toEqual(pass);
    // Forwarded: another address sends it on, and DKIM alone carries it.
    const forwarded = { dkim: ['pass'], spf: 'fail', dmarc: 'pass', aligned: { dkim: domain } };
    expect(await receivedBy(world.tidings, tenant, { raw, from, ip: '203.0.113.9' })).toMatchObject(forwarded);
    // Changed on the way by a server that SPF permits: the return path alone carries it.
    const footed = { dkim: ['neutral'], spf: 'pass', dmarc: 'pass', aligned: { spf: mailFromDomain } };
    const footer = raw.replace('Hello=20=\r\nAnn', 'Hello=20=\r\nEve');
    expect(await receivedBy(world.tidings, tenant, { raw: footer, from })).toMatchObject(footed);
    // Forged by another sender.
    const forged = { dmarc: 'fail', aligned: { dkim: undefined, spf: undefined } };
    const thief = { raw: footer, from: 'thief@evil.example', ip: '203.0.113.9' };
    expect(await receivedBy(world.tidings, tenant, thief)).toMatchObject(forged);

    const view = async (period: string, organization = tenant) =>
      (
        await world.tidings
          .client(trackingRequests)
          .view_message({ messageId: wireId('msg', uuid), period }, world.tidings.caller(organization))
      ).html;
    const month = createdAtOf(uuid).toISOString().slice(0, 7);
    const html = await view(month);
    expect(html).toContain('Hello Ann');
    expect(linksOf(html!, 'c')).toEqual([]);
    expect(linksOf(html!, 'o')).toEqual([]);
    expect(await view(month, { ...tenant, organizationId: newId('org') })).toBeNull();
  });

  it('skips recipients that may no longer receive it, with the reason of each', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const audience = await world.audience(tenant, people(20));
    const { tidings: harness } = world;
    const change = (n: number, text: string) =>
      harness
        .dataSource('subscriber')
        .query(`update subscriber set ${text} where email = $1 and organization_id = $2`, [
          `p${n}@people.internal`,
          uuidOf('org', tenant.organizationId),
        ]);
    await harness.data('unsubscribe', { email: 'p1@people.internal' }, tenant);
    await change(2, `status = 'PENDING_CONFIRMATION'`);
    await change(3, `banned_at = now()`);
    await change(4, `hard_bounced_at = now()`);
    await change(5, `complained_at = now()`);
    await change(6, `status = 'TRANSACTIONAL'`);
    await harness
      .dataSource('subscriber')
      .query(`delete from subscriber where email = 'p7@people.internal' and organization_id = $1`, [
        uuidOf('org', tenant.organizationId),
      ]);
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress).toMatchObject({ state: 'DONE', sent: 13, pending: 0 });
    expect(progress.skipped).toEqual({
      UNSUBSCRIBED: 1,
      PENDING_CONFIRMATION: 1,
      BANNED: 1,
      BOUNCED: 1,
      COMPLAINED: 1,
      TRANSACTIONAL: 1,
      DELETED: 1,
    });
    expect(sink.counts.size).toBe(13);
    const skipped = (await world.messages(send)).filter(({ state }) => state === 'SKIPPED');
    expect(skipped).toHaveLength(7);
  });

  it('story 12: continues past a recipient whose message cannot be rendered, and past one that the relay refuses', async () => {
    const sink = await world.relay({
      behave: (to) =>
        to.startsWith('p5@') ? { do: 'refuse', at: 'RCPT', reply: '550 5.1.1 No such user' } : { do: 'accept' },
    });
    const tenant = await world.organization();
    const audience = await world.audience(tenant, people(30));
    const poisoned = template(`Hello {{name}}, [more](https://shop.internal/{{name}}). [Leave]({{unsubscribeUrl}})`);
    await world.tidings
      .dataSource('subscriber')
      .query(
        `update subscriber set name = 'A' || repeat('x', 70000) where email = 'p3@people.internal' and organization_id = $1`,
        [uuidOf('org', tenant.organizationId)],
      );
    await world.tidings
      .dataSource('subscriber')
      .query(`update audience_page set emails[5] = 'no address' where organization_id = $1`, [
        uuidOf('org', tenant.organizationId),
      ]);
    const send = await world.send(tenant, audience, { template: { ...poisoned, subject: poisoned.text } });
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress).toMatchObject({
      sent: 27,
      failed: 1,
      skipped: { RENDER_FAILED: 1, INVALID_ADDRESS: 1 },
      pending: 0,
    });
    expect(sink.counts.size).toBe(27);
    const bounced = named(await world.tidings.deliverEvents(), 'message.bounced') as DomainEvent<'message.bounced'>[];
    expect(bounced.map(({ data }) => data)).toMatchObject([
      {
        email: 'p5@people.internal',
        bounceType: 'HARD',
        bounceCategory: 'NO_SUCH_USER',
        status: '5.1.1',
        provider: 'people.internal',
      },
    ]);
  });

  it('ends as FAILED if no recipient received it', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const audience = await world.audience(tenant, people(3));
    for (const { email } of people(3)) await world.tidings.data('unsubscribe', { email }, tenant);
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    await world.finished(send);
    const finished = named(await world.tidings.deliverEvents(), 'send.finished') as DomainEvent<'send.finished'>[];
    expect(finished.map(({ data }) => data)).toMatchObject([
      { sendId: send.sendId, outcome: 'FAILED', failure: 'No message was sent: 3 UNSUBSCRIBED.' },
    ]);
  });

  it('waits for a window of the recipient guard, and counts a test address not at all', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const one = [{ email: 'ann@people.internal' }, { email: 'ann@example.com' }];
    const audience = await world.audience(tenant, one);
    world.engine(sink.url);
    for (let n = 0; n < 5; n++) await world.finished(await world.send(tenant, audience));
    expect(sink.counts.get('ann@people.internal')).toBe(5);
    const sixth = await world.send(tenant, audience);
    const isDone = async () => {
      const { sent, deferred } = await world.progress(sixth);
      return sent + deferred === 2;
    };
    await until('the sixth is put off, and the test address has it', isDone, 60_000);
    expect(await world.checked(sixth)).toMatchObject({ state: 'RUNNING', sent: 1, pending: 1, deferred: 1 });
    const deferred = async () => (await world.messages(sixth)).find(({ state }) => state === 'DEFERRED')!;
    const { wait } = await deferred();
    expect(wait).toBeGreaterThan(500);
    expect(wait).toBeLessThanOrEqual(600);

    // Due too early: the guard checks it again.
    await world.makeDue(sixth);
    await until('it was put off again', async () => {
      const { fence, owner, wait: again } = await deferred();
      return fence === 1 && owner === null && again! > 500;
    });
    expect(sink.counts.get('ann@people.internal')).toBe(5);

    for (const change of [
      `update recipient_guard set sent_at = array(select t - interval '10 minutes' from unnest(sent_at) t)`,
      `update campaign_message set attempted_at = attempted_at - interval '10 minutes'`,
    ]) {
      await world.database.query(change);
    }
    await world.makeDue(sixth);
    expect(await world.finished(sixth)).toMatchObject({ sent: 2, deferred: 0 });
    expect(sink.counts.get('ann@people.internal')).toBe(6);
  });
});
