import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { until } from '#testing';
import { noteUnfinished } from '../../migrations/1700000001500-create-fair-claims.js';
import { MailHoldRepository } from '../../src/hold/mail-hold.repository.js';
import type { LeasedChunk } from '../../src/send/chunk/chunk.js';
import { ChunkRepository } from '../../src/send/chunk/chunk.repository.js';
import { planner } from '../../src/send/prepared-sql.repository.js';
import { SendRepository } from '../../src/send/send.repository.js';
import { ClaimFixture, idsOf } from '../claim-fixture.js';
import type { MadeSend } from '../claim-fixture.js';
import { people, SendFixture } from '../send-fixture.js';
import type { StartedSend } from '../send-fixture.js';

jest.setTimeout(240_000);

type Blocks = Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>;

/** Waits for all, so that none works on in the next test, and rejects if one did. */
const settled = async (all: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(all);
  await Promise.all(all);
};

describe('the turns of organizations and sends', () => {
  const world = SendFixture.ofSuite();
  const claims = ClaimFixture.ofSuite(world);

  describe('the cost of a claim and of the sweep', () => {
    /** Blocks that the statements of some work read; the work gets no rows. */
    const blocksOf = async (
      work: (sql: Sql) => Promise<unknown>,
      settings: readonly string[] = [],
    ): Promise<number> => {
      let blocks = 0;
      const query = async (text: string, values: unknown[] = []) =>
        await world.database.transaction(async (manager) => {
          for (const setting of settings) await manager.query(`set local ${setting}`);
          const explain = `explain (analyze, buffers, format json) ${text}`;
          const rows: { 'QUERY PLAN': { Plan: Blocks }[] }[] = await manager.query(explain, values);
          const { Plan } = rows[0]!['QUERY PLAN'][0]!;
          blocks += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
          return [{ more: false, page_no: 0 }];
        });
      await work({ query } as unknown as Sql).catch(() => undefined);
      return blocks;
    };
    const claimBy = (through: Sql) =>
      new ChunkRepository(
        { query: (_name, text, values) => through.query(text, [...values]), end: () => Promise.resolve() },
        randomUUID(),
        20,
      ).claim([]);

    /** Sends with nothing to claim: paused, waiting, with deferred messages only, and leased. */
    const makeIdle = async (count: number) => {
      await world.database.query(
        `with organization as (select n, gen_random_uuid() as id from generate_series(0, 1499) n),
         made as (
           insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, organization_name,
             total, pages, period, state, not_before)
           select o.id, gen_random_uuid(), gen_random_uuid(), 'News', gen_random_uuid(), '{}', '{}', 'Shop', 500, 1, current_date,
             case when n.n % 4 = 0 then 'PAUSED' else 'RUNNING' end,
             case when n.n % 4 = 1 then clock_timestamp() + interval '1 hour' end
           from generate_series(1, $1::int) n join organization o on o.n = n.n % 1500
           returning organization_id, send_id, state, not_before, total)
         insert into send_page (organization_id, send_id, page_no, state, deferred, owner, until)
         select m.organization_id, m.send_id, 0, k.state, case k.state when 'DONE' then 1 else 0 end,
           case k.state when 'LEASED' then gen_random_uuid() end,
           case k.state when 'LEASED' then clock_timestamp() + interval '1 hour' end
         from made m cross join lateral (select case when m.state = 'PAUSED' or m.not_before is not null then 'READY'
           else (array['DONE', 'LEASED'])[1 + get_byte(uuid_send(m.send_id), 15) % 2] end as state) k`,
        [count],
      );
      await claims.applyChanges();
      // As autovacuum does, which only the owner may.
      const owner = await new DataSource({ type: 'postgres', url: world.tidings.ownerUrl }).initialize();
      for (const table of ['send', 'send_page', 'send_turn', 'organization_turn', 'send_turn_change'])
        await owner.query(`vacuum analyze delivery.${table}`);
      await owner.destroy();
    };

    it.each([false, true])('are flat from 10 to 20,000 unfinished sends (mail held: %s)', async (isHeld) => {
      const stopped = await claims.makeOne(10);
      await claims.make(3, 5);
      if (isHeld) {
        await new MailHoldRepository(world.database.manager).upsert('a test', 'the operator');
        await claims.setSend(`state = 'STOPPED'`, stopped);
      }
      const measure = async () => ({
        claim: await blocksOf(claimBy, planner),
        sweep: await blocksOf((through) => new SendRepository(through).listEndChecks()),
      });
      await makeIdle(10);
      await measure();
      const few = await measure();
      // Whatever the first sends were noted for is settled, so that both measures are of the same work.
      await makeIdle(20_000);
      await measure();
      const many = await measure();
      process.stdout.write(`blocks at 10 and 20,000 unfinished sends: ${JSON.stringify([few, many])}\n`);
      expect(few.claim).toBeGreaterThan(0);
      expect(many.claim).toBeLessThan(few.claim * 2 + 50);
      expect(many.sweep).toBeLessThan(few.sweep * 2 + 20);
      expect(await claims.process().claim([])).not.toBeNull();
    });
  });

  describe('fairness', () => {
    const claimedOf = (pages: readonly (LeasedChunk | null)[]) => {
      const counts = new Map<string, number>();
      for (const page of pages) if (page) counts.set(page.organizationId, (counts.get(page.organizationId) ?? 0) + 1);
      return counts;
    };

    it('serves a thousand organizations once before any is served again, whichever process claims', async () => {
      const large = (await claims.make(1, 20))[0]!.organization_id;
      await claims.make(40, 20, large);
      await claims.make(999, 3);
      const processes = [claims.process(), claims.process(), claims.process()];
      const pages: (LeasedChunk | null)[] = [];
      const counts: Map<string, number>[] = [];
      while (pages.length < 2997) {
        pages.push(...(await Promise.all(processes.map((one) => one.claim([])))));
        if (pages.length % 999 === 0) counts.push(claimedOf(pages));
      }
      const [first, second, third] = counts as [Map<string, number>, Map<string, number>, Map<string, number>];
      expect(Math.max(...first.values())).toBe(1);
      for (const some of [second, third]) {
        expect(some.size).toBe(1000);
        expect(Math.max(...some.values())).toBeLessThanOrEqual(Math.min(...some.values()) * 2);
      }
      expect(third.get(wireId('org', large))).toBeLessThanOrEqual(3);
    });

    it('holds for the engine: no organization has a second chunk before each other has its first', async () => {
      const sink = await world.relay({ throttle: 1_000 });
      const tenants = await Promise.all(Array.from({ length: 6 }, () => world.organization()));
      const started: StartedSend[] = [];
      for (const [n, tenant] of tenants.entries()) {
        const audience = await world.audience(tenant, people(501, `tenant${n}.internal`));
        for (let send = 0; send < (n === 0 ? 3 : 1); send++) started.push(await world.send(tenant, audience));
      }
      world.engine(sink.url);
      const samples: number[][] = [];
      await until(
        'each organization has its second chunk',
        async () => {
          const rows: { n: number }[] = await world.database.query(
            'select count(*) filter (where fence > 0)::int as n from send_page group by organization_id',
          );
          samples.push(rows.map(({ n }) => n));
          return Math.min(...samples.at(-1)!) >= 2;
        },
        120_000,
      );
      for (const counts of samples.filter((some) => Math.max(...some) > 1))
        expect(Math.min(...counts)).toBeGreaterThan(0);
      for (const send of started) await world.finished(send);
    });

    it('serves the sends of one organization in turn, and passes over those in progress', async () => {
      const organization = randomUUID();
      const made = await claims.make(3, 3, organization);
      const one = claims.process();
      const claim = async () => (await one.claim([]))!.sendId;
      const first = [await claim(), await claim(), await claim()];
      expect(new Set(first)).toEqual(new Set(made.map((send) => idsOf(send)[1])));
      expect([await claim(), await claim(), await claim()]).toEqual(first);
      expect((await one.claim(first.slice(0, 2)))!.sendId).toBe(first[2]);
      expect(await one.claim(first)).toBeNull();
      expect((await one.claim([]))!.sendId).toBe(first[0]);
    });
  });

  it('lets many processes claim at once: no chunk twice, none forgotten, no claim in vain while chunks are left', async () => {
    const organization = randomUUID();
    await claims.make(4, 15, organization);
    await claims.make(60, 2);
    const claimed: string[] = [];
    let inVain = 0;
    const isAnyLeft = async () => {
      const rows: unknown[] = await world.database.query(`select from send_page where state = 'READY' limit 1`);
      return rows.length > 0;
    };
    const work = async (one: ChunkRepository) => {
      while (claimed.length < 180 && inVain < 1_000) {
        const page = await one.claim([]);
        if (page) claimed.push(`${page.sendId} ${page.pageNo}`);
        // Nothing is released, so that what is left now was left at the claim.
        else if (await isAnyLeft()) inVain += 1;
      }
    };
    await settled(Array.from({ length: 8 }, () => work(claims.process())));
    expect(new Set(claimed).size).toBe(180);
    expect(claimed).toHaveLength(180);
    expect(inVain).toBe(0);
    expect(await claims.process().claim([])).toBeNull();
  });

  it('forgets no chunk and no end while processes claim, release, pause, resume, wait and stop at random', async () => {
    const organizations = [randomUUID(), randomUUID(), randomUUID()];
    const made = (await Promise.all(organizations.map((organization) => claims.make(6, 4, organization)))).flat();
    const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)]!;
    const ends: string[] = [];
    const endChunk = async ({ sendId, pageNo, fence }: LeasedChunk, deferred: number) => {
      await world.database.query(
        `update send_page set state = 'DONE', owner = null, until = null, deferred = $4
         where send_id = $1 and page_no = $2 and fence = $3 and state = 'LEASED'`,
        [uuidOf('send', sendId), pageNo, fence, deferred],
      );
      ends.push(`${sendId} ${pageNo}`);
    };
    let isOver = false;
    const work = async (process: ChunkRepository) => {
      while (!isOver) {
        const page = await process.claim([]);
        if (page && Math.random() < 0.2) await endChunk(page, pick([0, 0, 1]));
        else if (page) await process.release(page);
      }
    };
    const control = async () => {
      for (let change = 0; change < 150; change++) {
        const send = pick(made);
        await pick([
          () => claims.setSend(`state = 'PAUSED'`, send),
          () => claims.setSend(`state = 'RUNNING'`, send),
          () => claims.setSend(`state = case when random() < 0.1 then 'STOPPED' else state end`, send),
          () => claims.sends.updateWaiting(...idsOf(send), { reason: 'a key', seconds: Math.random() / 10 }),
          () => claims.sweep(),
        ])();
      }
    };
    const controlled = settled([control(), control()]).finally(() => (isOver = true));
    await settled([controlled, ...Array.from({ length: 4 }, () => work(claims.process()))]);
    expect(await claims.forgotten()).toEqual([]);
    await world.database.query(`update send set state = 'RUNNING', not_before = null where state = 'PAUSED'`);
    await world.database.query(`update send set not_before = null where finished_at is null`);
    const last = claims.process();
    for (let page = await last.claim([]); page; page = await last.claim([])) await endChunk(page, 0);
    await world.database.query(`update send_page set deferred = 0 where deferred > 0`);
    await claims.sweep();
    expect(new Set(ends).size).toBe(72);
    expect(ends).toHaveLength(72);
    for (const send of made) expect(await claims.hasEnded(send)).toBe(true);
  });

  it('shares the chunks with a process of the version before: none twice, none forgotten', async () => {
    await claims.make(10, 6);
    const claimed: string[] = [];
    const owner = randomUUID();
    const isOld: boolean[] = [];
    const before = async () => {
      const row = await claims.claimBefore(owner);
      return row && `${wireId('send', row.send_id)} ${row.page_no}`;
    };
    const now = async () => {
      const page = await claims.process().claim([]);
      return page && `${page.sendId} ${page.pageNo}`;
    };
    const work = async (claim: typeof now | typeof before) => {
      for (let attempt = 0; claimed.length < 60 && attempt < 1_000; attempt++) {
        const chunk = await claim();
        if (chunk) isOld.push(claim === before);
        if (chunk) claimed.push(chunk);
      }
    };
    await settled([work(before), work(now), work(before), work(now)]);
    expect(new Set(claimed).size).toBe(60);
    expect(new Set(isOld).size).toBe(2);
    await world.database.query(`update send_page set state = 'READY', owner = null where owner = $1`, [owner]);
    let again = 0;
    while (await claims.process().claim([])) again += 1;
    expect(again).toBe(isOld.filter(Boolean).length);
  });

  describe('a send that can be claimed again is found by the next claim', () => {
    const one = () => claims.process();
    const nothing = async () => expect(await one().claim([])).toBeNull();
    const found = async (send: MadeSend) => {
      const page = await one().claim([]);
      expect(page?.sendId).toBe(idsOf(send)[1]);
      return page!;
    };

    it.each<[string, (send: MadeSend) => Promise<unknown>, (send: MadeSend) => Promise<unknown>]>([
      [
        'resumed',
        (send) => claims.setSend(`state = 'PAUSED'`, send),
        (send) => claims.setSend(`state = 'RUNNING'`, send),
      ],
      [
        'stopped',
        (send) => claims.setSend(`state = 'PAUSED'`, send),
        (send) => claims.setSend(`state = 'STOPPED'`, send),
      ],
      [
        'no longer waiting',
        (send) => claims.sends.updateWaiting(...idsOf(send), { reason: 'a key', seconds: 600 }),
        (send) => claims.sends.updateWaiting(...idsOf(send), null),
      ],
      [
        'reopened',
        (send) => claims.setSend(`finished_at = now()`, send),
        (send) => claims.setSend(`finished_at = null`, send),
      ],
      [
        'with a chunk whose lease another program ends',
        (send) =>
          claims.setChunks(`state = 'LEASED', owner = gen_random_uuid(), until = now() + interval '1 hour'`, send),
        (send) => claims.setChunks(`until = now() - interval '1 second'`, send),
      ],
      [
        'with a chunk that is due earlier',
        (send) => claims.setChunks(`due_at = now() + interval '1 hour'`, send),
        (send) => claims.setChunks(`due_at = null`, send),
      ],
    ])('%s', async (_name, end, begin) => {
      const send = await claims.makeOne(1);
      await end(send);
      await nothing();
      await nothing();
      await begin(send);
      await found(send);
      await nothing();
    });

    it('after the release of its chunk, also when its process died', async () => {
      const send = await claims.makeOne(1);
      const process = one();
      const page = (await process.claim([]))!;
      await nothing();
      await process.release(page);
      expect((await found(send)).fence).toBe('2');
      await claims.setChunks(`until = clock_timestamp()`, send);
      expect((await found(send)).fence).toBe('3');
    });

    it.each<[string, (send: MadeSend) => Promise<unknown>]>([
      ['its time has come', (send) => claims.setSend(`not_before = clock_timestamp() + interval '1 second'`, send)],
      ['its chunk is due', (send) => claims.setChunks(`due_at = clock_timestamp() + interval '1 second'`, send)],
    ])('when %s', async (_name, wait) => {
      const send = await claims.makeOne(1);
      await wait(send);
      await nothing();
      await until('it is found', async () => (await one().claim([]))?.sendId === idsOf(send)[1], 20_000);
    });

    it('when the lease of a frozen process ends', async () => {
      const send = await claims.makeOne(1);
      expect(await claims.process(1).claim([])).not.toBeNull();
      await nothing();
      await until('it is found', async () => (await one().claim([]))?.sendId === idsOf(send)[1], 20_000);
    });

    it('also by a transaction that lasts, and other sends of its organization go on meanwhile', async () => {
      const [paused, other] = (await claims.make(2, 1, randomUUID())) as [MadeSend, MadeSend];
      await claims.setSend(`state = 'PAUSED'`, paused);
      const session = world.database.createQueryRunner();
      await session.startTransaction();
      await session.query(`update send set state = 'RUNNING' where send_id = $1`, [paused.send_id]);
      await found(other);
      await nothing();
      await session.commitTransaction();
      await session.release();
      await found(paused);
    });

    it('after a hold of all mail, during which only stopped sends are worked on', async () => {
      const [running, stopped] = (await claims.make(2, 1)) as [MadeSend, MadeSend];
      await claims.setSend(`state = 'STOPPED'`, stopped);
      const hold = new MailHoldRepository(world.database.manager);
      await hold.upsert('a test', 'the operator');
      expect((await found(stopped)).sendState).toBe('STOPPED');
      await nothing();
      await hold.delete();
      await found(running);
      await nothing();
      await claims.setChunks(`until = clock_timestamp()`, stopped);
      await found(stopped);
    });

    it('in a database from before the turns', async () => {
      const [running, done, stopped] = (await claims.make(3, 1)) as [MadeSend, MadeSend, MadeSend];
      await claims.setChunks(`state = 'DONE'`, done);
      await claims.setSend(`state = 'STOPPED', finished_at = now()`, stopped);
      await world.database.query('truncate organization_turn, send_turn, send_turn_change, send_end_check');
      await nothing();
      for (const statement of noteUnfinished) await world.database.query(statement);
      await found(running);
      await claims.sweep();
      expect([await claims.hasEnded(running), await claims.hasEnded(done)]).toEqual([false, true]);
    });
  });
});
