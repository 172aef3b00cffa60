import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recipientRequests, subscriberLifeRequests } from '#contracts';
import { until } from '#testing';
import { ErasureRepository } from '../src/erasure/erasure.repository.js';
import { people, twoShops } from './send-world.js';
import type { TwoShops } from './send-world.js';

describe('messages to somebody who is deleted', () => {
  let { world, sink, shop } = {} as TwoShops;
  beforeAll(async () => {
    ({ world, sink, shop } = await twoShops());
  });
  afterAll(() => world.stop().then(() => sink.stop()));

  const remove = async (email: string) => {
    const { tidings } = world;
    await tidings.client(subscriberLifeRequests).delete_subscriber({ email }, tidings.caller(shop));
    await tidings.deliverEvents();
  };
  const erase = () => new ErasureRepository(world.database.manager).eraseSome();
  const later = (hours: number) =>
    world.database.query(
      `update erasure set due_at = clock_timestamp(), created_at = created_at - $1 * interval '1 hour'`,
      [hours],
    );
  const known = async (word: string) => {
    const [row] = await world.database.query<[{ messages: number; contents: number }]>(
      `select (select count(*)::int from message where email like $1 or subject like $1 or response like $1) as messages,
         (select count(*)::int from message_content where html like $1 or convert_from(raw, 'UTF8') like $1) as contents`,
      [`%${word}%`],
    );
    return row;
  };
  const write = (to: string) =>
    world.tidings.data(
      'send_email',
      { from: `orders@${shop.sender.domain}`, to, subject: `Receipt of ${to}`, html: `<p>${to}</p>` },
      shop,
    );

  it('say nothing more of them, and count as before; those of others stay as they were', async () => {
    const [gone, stays] = people(2, 'erased.internal').map(({ email }) => email) as [string, string];
    const send = await world.send(shop, await world.audience(shop, people(2, 'erased.internal')));
    world.engine(sink.url);
    await world.finished(send);
    for (const to of [gone, stays]) await write(to);
    await until('all is recorded', async () => {
      const [row] = await world.database.query<[{ n: number }]>(
        `select count(*)::int as n from message where kind = 'TRANSACTIONAL' and state = 'DELIVERED'`,
      );
      return row.n === 2;
    });
    const before = { progress: await world.checked(send), stays: await known(stays) };
    expect(await known(gone)).toEqual({ messages: 2, contents: 1 });
    await remove(gone);
    expect(await erase()).toBe(1);
    expect(await known(gone)).toEqual({ messages: 0, contents: 0 });
    expect({ progress: await world.checked(send), stays: await known(stays) }).toEqual(before);
    expect(await erase()).toBe(0);
  });

  it('are forgotten once they are under way no more, and tried again for nobody', async () => {
    const email = 'p0@open.internal';
    const send = await world.send(shop, await world.audience(shop, [{ email }]));
    await world.finished(send);
    const set = (state: string) =>
      world.database.query(`update message set state = $1 where email = $2`, [state, email]);
    await set('DEFERRED');
    await remove(email);
    await erase();
    await later(25);
    await erase();
    expect((await known(email)).messages).toBe(1);
    await set('FAILED');
    await later(0);
    await erase();
    expect((await known(email)).messages).toBe(0);
    await later(0);
    await erase();
    expect(
      await world.database.query(`select 1 from erasure where created_at < clock_timestamp() - interval '1 day'`),
    ).toEqual([]);
    const { retried } = await world.tidings
      .client(recipientRequests)
      .retry_send({ sendId: send.sendId, inDoubt: true }, world.tidings.caller(shop));
    expect(retried).toBe(0);
  });
});
