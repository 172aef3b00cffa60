import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { subscriberRequests, trackingRequests } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import { until } from '#testing';
import { people, SendFixture, sentMessages } from '../send-fixture.js';
import type { Sending, StartedSend } from '../send-fixture.js';

jest.setTimeout(180_000);

describe('a send that began under a version before the ledger', () => {
  const world = SendFixture.ofSuite({}, 0);

  const recipientsOf = async (tenant: Sending, audienceId: string, pageNumber: number) =>
    (
      await world.tidings
        .client(subscriberRequests)
        .get_audience_page({ audienceId, pageNumber, showIf: [], variables: [] }, world.tidings.caller(tenant))
    ).recipients;

  /** What a process of that version leaves that dies in the middle of a chunk: messages with results, and with marks. */
  const leaveBehind = async (
    { organizationId, sendId }: StartedSend,
    some: readonly { subscriberId: string; email: string }[],
    delivered: number,
  ) => {
    const keys = [uuidOf('org', organizationId), uuidOf('send', sendId)];
    await world.database.query(
      `insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state, attempts, fence)
       select $1, u.id, s.period, 'CAMPAIGN', $2, 0, u.subscriber, u.email, 'News', case when u.place <= $6 then 'DELIVERED' else 'HANDING_OVER' end, 1, 3
       from send s, unnest($3::uuid[], $4::uuid[], $5::text[]) with ordinality u(id, subscriber, email, place)
       where s.organization_id = $1 and s.send_id = $2`,
      [
        ...keys,
        some.map(newUuid),
        some.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        some.map(({ email }) => email),
        delivered,
      ],
    );
    await world.database.query(
      `update send_page set state = 'LEASED', owner = $3, fence = 3, until = clock_timestamp(), sent = $4, delivered = $4
       where organization_id = $1 and send_id = $2 and page_no = 0`,
      [...keys, randomUUID(), delivered],
    );
  };

  it('is finished: all that have no message get one, what was marked is in doubt, the others are skipped by name', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const audience = await world.audience(tenant, [...people(700), ...people(40, 'example.com')]);
    const send = await world.send(tenant, audience);
    const first = await recipientsOf(tenant, audience.audienceId, 0);
    const reached = first.filter(({ email }) => email.endsWith('@people.internal'));
    await leaveBehind(send, reached.slice(0, 15), 10);
    await world.tidings.data('unsubscribe', { email: reached[20]!.email }, tenant);
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress).toMatchObject({ state: 'DONE', sent: 734, inDoubt: 5, deferred: 0, pending: 0 });
    expect(progress.skipped).toEqual({ UNSUBSCRIBED: 1 });
    const unasked = new Set([...reached.slice(0, 15), reached[20]!].map(({ email }) => email));
    expect([...sink.counts.keys()].sort()).toEqual(
      people(700)
        .map(({ email }) => email)
        .filter((email) => !unasked.has(email))
        .sort(),
    );
    expect([...sink.counts.values()].filter((n) => n !== 1)).toEqual([]);
    const sent = sentMessages(await world.tidings.deliverEvents());
    expect(sent.filter(({ campaignId, single }) => campaignId === send.campaignId && single)).toHaveLength(724);
  });

  it('shows its messages online by the month in their links', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(1)));
    world.engine(sink.url);
    await world.finished(send);
    const [message] = await world.messages(send);
    const messageId = wireId('msg', message!.messageId);
    const view = async (period: string) =>
      (await world.tidings.client(trackingRequests).view_message({ messageId, period }, world.tidings.caller(tenant)))
        .html;
    expect(await view(new Date().toISOString().slice(0, 7))).toContain('Hello Person0');
    expect([await view('2001-01'), await view('soon')]).toEqual([null, null]);
  });

  it('is paused, and stopped: the rest is skipped with the reason', async () => {
    const sink = await world.relay({ throttle: 100 });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(1200)));
    world.engine(sink.url);
    await until('it is under way', () => sink.accepted > 30, 60_000);
    await world.setState(send, 'PAUSED');
    await until('nothing is on the wire', async () => !('HANDING_OVER' in (await world.states(send))), 60_000);
    const { accepted } = sink;
    expect(await world.checked(send)).toMatchObject({ state: 'PAUSED', sent: accepted });
    await world.setState(send, 'STOPPED');
    expect(await world.finished(send)).toMatchObject({ sent: accepted, skipped: { STOPPED: 1200 - accepted } });
    expect(sink.accepted).toBe(accepted);
  });

  it('is stopped before its messages are queued', async () => {
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(3)));
    await world.setState(send, 'STOPPED');
    world.engine((await world.relay()).url);
    expect(await world.finished(send)).toMatchObject({ sent: 0, pending: 0, skipped: { STOPPED: 3 } });
  });

  it('has few messages queued ahead of its relay', async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    const sink = await world.relay({ behave: () => ({ do: 'wait', until: waiting }) });
    const tenant = await world.organization();
    const audience = await world.audience(tenant, people(4500));
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    await until('a chunk found no room', async () => (await world.fences(send)) > audience.pages, 60_000);
    const { length: queued } = await world.messages(send);
    expect(queued).toBeGreaterThanOrEqual(2000);
    expect(queued).toBeLessThan(4500);
    goOn();
    expect(await world.finished(send)).toMatchObject({ sent: 4500, inDoubt: 0 });
    expect([...sink.counts.values()].filter((n) => n !== 1)).toEqual([]);
  });
});
