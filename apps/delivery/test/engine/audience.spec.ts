import { describe, expect, it, jest } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { newId, uuidOf } from '#database';
import { copySubscribers, until } from '#testing';
import type { SmtpSink } from '#testing';
import { campaignConnections, Line, people, SendFixture, template } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';

jest.setTimeout(240_000);

/** The same numbers in [0, 1) each time (a linear congruential generator). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

describe('the whole audience, and no other recipient', () => {
  const world = SendFixture.ofSuite({}, 1);
  let sink: SmtpSink;

  const freeze = (tenant: Sending) =>
    world.tidings
      .client(subscriberRequests)
      .freeze_audience({ audienceId: newId('aud'), purpose: 'SEND', filters: [] }, world.tidings.caller(tenant));
  const twice = () => [...sink.counts].filter(([, n]) => n !== 1);

  it('story 1: is reached though the sender dies at random points, again and again: none is lost, none gets two, no silent end', async () => {
    sink = await world.relay({ throttle: 250 });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(1100)));
    const random = seeded(11);
    const deaths = 5;
    for (let death = 0; death < deaths; death++) {
      const at = sink.accepted + 20 + Math.floor(random() * 120);
      const line = new Line(world.database);
      world.engine(sink.url, {}, line);
      await until('more mail went out', () => sink.accepted >= at, 100_000);
      await line.cut();
      expect((await world.progress(send)).finishedAt).toBeNull();
      await world.endLeases();
    }
    world.engine(sink.url);
    const { sent, inDoubt, failed, skipped, pending } = await world.finished(send);
    expect({ all: sent + inDoubt, failed, skipped, pending }).toEqual({
      all: 1100,
      failed: 0,
      skipped: {},
      pending: 0,
    });
    expect(inDoubt).toBeLessThanOrEqual(deaths * campaignConnections);
    expect(twice()).toEqual([]);
    const messages = await world.messages(send);
    const doubted = new Set(messages.flatMap(({ email, state }) => (state === 'IN_DOUBT' ? [email] : [])));
    expect(doubted.size).toBe(inDoubt);
    expect(people(1100).filter(({ email }) => !sink.counts.has(email) && !doubted.has(email))).toEqual([]);
  });

  it('story 3: is reached behind a run of 40,000 suppressed people in a row, each of them skipped with the reason', async () => {
    sink = await world.relay({ forget: true });
    const tenant = await world.organization();
    const [before, run, after] = [300, 40_000, 300];
    const total = before + run + after;
    const { uuidAt } = await copySubscribers({
      databaseUrl: world.tidings.ownerUrl,
      organizationId: tenant.organizationId,
      count: total,
      email: (n) => `p${n}@run.internal`,
    });
    const audience = await freeze(tenant);
    expect(audience.total).toBe(total);
    await world.tidings
      .dataSource('subscriber')
      .query(
        `update subscriber set hard_bounced_at = now() where organization_id = $1 and subscriber_id >= $2 and subscriber_id < $3`,
        [uuidOf('org', tenant.organizationId), uuidAt(before), uuidAt(before + run)],
      );
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    const progress = await world.finished(send, 200_000);
    expect(progress).toMatchObject({
      state: 'DONE',
      total,
      sent: before + after,
      pending: 0,
      skipped: { BOUNCED: run },
    });
    expect([...sink.counts.keys()].sort()).toEqual(
      [...Array(before).keys(), ...Array.from({ length: after }, (_, n) => before + run + n)]
        .map((n) => `p${n}@run.internal`)
        .sort(),
    );
  });

  it('story 6: is frozen: who joins meanwhile gets nothing, who leaves is skipped with the reason, the numbers add up', async () => {
    let goOn = () => {};
    const changed = new Promise<void>((resolve) => (goOn = resolve));
    sink = await world.relay({
      behave: () => (sink.accepted < 50 ? { do: 'accept' } : { do: 'wait', until: changed }),
    });
    const tenant = await world.organization();
    const audience = await world.audience(tenant, people(1100));
    const send = await world.send(tenant, audience);
    const [{ emails }] = await world.tidings
      .dataSource('subscriber')
      .query<[{ emails: string[] }]>(`select emails from audience_page where audience_id = $1 and page_no = $2`, [
        uuidOf('aud', audience.audienceId),
        audience.pages - 1,
      ]);
    const [unsubscribed, deleted] = [emails.slice(-10, -5), emails.slice(-5)];
    world.engine(sink.url);
    await until('it is under way', () => sink.accepted >= 50, 60_000);
    for (const email of unsubscribed) await world.tidings.data('unsubscribe', { email }, tenant);
    await world.tidings
      .dataSource('subscriber')
      .query(`delete from subscriber where organization_id = $1 and email = any($2)`, [
        uuidOf('org', tenant.organizationId),
        deleted,
      ]);
    const joined = people(20, 'late.internal').map(({ email }) => email);
    await world.tidings.data('import_subscribers', { subscribers: joined.map((email) => ({ email })) }, tenant);
    expect(sink.accepted).toBeLessThan(1000);
    goOn();
    const progress = await world.finished(send);
    expect(progress).toMatchObject({ state: 'DONE', total: 1100, sent: 1090, pending: 0 });
    expect(progress.skipped).toEqual({ UNSUBSCRIBED: 5, DELETED: 5 });
    expect([...joined, ...unsubscribed, ...deleted].filter((to) => sink.counts.has(to))).toEqual([]);
    expect(twice()).toEqual([]);
  });

  it('is reached where all that is known of five hundred people is more than one answer may hold', async () => {
    sink = await world.relay();
    const tenant = await world.organization();
    const first = { email: 'p0@people.internal', fields: { City: '', Notes: '' } };
    await world.tidings.data('add_subscriber', first, tenant);
    const audience = await world.audience(tenant, people(500));
    await world.tidings.dataSource('subscriber').query(
      `update subscriber s set custom = (
         select jsonb_object_agg(field_id, case name when 'City' then 'Lyon' else repeat('x', 20000) end)
         from custom_field f where f.organization_id = s.organization_id)
       where organization_id = $1`,
      [uuidOf('org', tenant.organizationId)],
    );
    const send = await world.send(tenant, audience, { template: template("Hi from {{city | 'nowhere'}}") });
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 500, failed: 0, skipped: {} });
    expect(sink.messages[0]!.raw).toContain('Hi from=20=\r\nLyon');
  });
});
