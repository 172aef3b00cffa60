import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { newId, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { SmtpSink } from '#testing';
import { DueMessageRepository } from '../../src/send/due/due-message.repository.js';
import { planner } from '../../src/send/prepared-sql.repository.js';
import type { PreparedSql } from '../../src/send/prepared-sql.repository.js';
import { RecipientRepository } from '../../src/report/recipient/recipient.repository.js';
import { SendRepository } from '../../src/send/send.repository.js';
import { Line, people, SendFixture } from '../send-fixture.js';

jest.setTimeout(360_000);

/** A line that counts what goes over it. */
class Meter extends Line {
  statements = 0;

  #counted<A extends unknown[], R>(ask: (...args: A) => R) {
    return (...args: A): R => {
      this.statements += 1;
      return ask(...args);
    };
  }

  override get dataSource(): DataSource {
    const { options, manager, transaction } = super.dataSource;
    const counted = { query: this.#counted(manager.query.bind(manager)) };
    return { options, manager: counted, transaction: this.#counted(transaction) } as unknown as DataSource;
  }

  override through(sql: PreparedSql): PreparedSql {
    const { query, end } = super.through(sql);
    return { query: this.#counted(query) as PreparedSql['query'], end };
  }
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const blocksOf = (plan: PlanNode): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

describe('failure story 7: the cost of a campaign', () => {
  let world: SendFixture;
  let sink: SmtpSink;
  beforeAll(async () => {
    world = await SendFixture.start({}, 1);
    sink = await SmtpSink.start({ forget: true });
  });
  afterAll(async () => {
    await world.stop();
    await sink.stop();
  });

  /** How the database carries out the last statement of some work; the work gets no rows. */
  const planOf = async (work: (sql: Sql) => Promise<unknown>, settings: string[] = []): Promise<PlanNode> => {
    const plans: PlanNode[] = [];
    const query = async (text: string, values: unknown[]) => {
      const explain = `explain (analyze, buffers, format json) ${text}`;
      await world.database.transaction(async (manager) => {
        for (const setting of settings) await manager.query(`set local ${setting}`);
        const rows: { 'QUERY PLAN': { Plan: PlanNode }[] }[] = await manager.query(explain, values);
        plans.push(rows[0]!['QUERY PLAN'][0]!.Plan);
      });
      return [];
    };
    await work({ query } as unknown as Sql).catch(() => undefined);
    return plans.at(-1)!;
  };

  it('is as few statements a message at ten times the size', async () => {
    const perMessage: number[] = [];
    for (const count of [100, 1000]) {
      const tenant = await world.organization();
      const send = await world.send(tenant, await world.audience(tenant, people(count)));
      const meter = new Meter(world.database);
      const engine = world.engine(sink.url, {}, meter);
      expect(await world.finished(send, 150_000)).toMatchObject({ state: 'DONE', sent: count });
      await world.end(engine);
      perMessage.push(meter.statements / count);
    }
    const [small, large] = perMessage as [number, number];
    process.stdout.write(`statements a message: ${small.toFixed(2)} at 100, ${large.toFixed(2)} at 1000\n`);
    expect(large).toBeLessThan(1);
    expect(large).toBeLessThan(small * 1.5);
  });

  it('holds no question whether it is over that grows: a million cost what ten thousand cost', async () => {
    const tenant = await world.organization();
    const cost = async (messages: number) => {
      const sendId = newId('send');
      const keys = [uuidOf('org', tenant.organizationId), uuidOf('send', sendId)];
      await world.database.query(
        `insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, organization_name,
           track_opens, track_clicks, total, pages, period)
         values ($1, $2, $2, 'Large', $2, '{}', '{}', 'Shop', true, true, $3, $3 / 500, current_date)`,
        [...keys, messages],
      );
      // The last chunk is still open: until then every chunk that ends runs the query.
      await world.database.query(
        `insert into send_page (organization_id, send_id, page_no, state, sent)
         select $1, $2, n, case when n = $3 / 500 - 1 then 'READY' else 'DONE' end, 500 from generate_series(0, $3 / 500 - 1) n`,
        [...keys, messages],
      );
      await world.database.query('analyze send_page');
      const plan = await planOf((sql) => new SendRepository(sql).updateFinished(wireId('org', keys[0]!), sendId));
      expect(new Set(nodesOf(plan).flatMap((node) => node['Relation Name'] ?? []))).toEqual(
        new Set(['send', 'send_page']),
      );
      return blocksOf(plan);
    };
    const [small, large] = [await cost(10_000), await cost(1_000_000)];
    process.stdout.write(`blocks to ask whether a send is over: ${small} at 10,000, ${large} at 1,000,000\n`);
    expect(large).toBeLessThan(small + 10);
  });

  it('is the same for every page of its recipients: none sorts the others', async () => {
    const tenant = await world.organization();
    const send = await world.send(tenant, { audienceId: newId('aud'), total: 30_000, pages: 60 });
    await world.setState(send, 'STOPPED');
    await world.database.query(`update send set layout = 0 where send_id = $1`, [uuidOf('send', send.sendId)]);
    await world.database.query(
      `insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state)
       select organization_id, gen_random_uuid(), period, 'CAMPAIGN', send_id, 0, gen_random_uuid(), 'a@b.example', '', 'DELIVERED'
       from send, generate_series(1, 30000) where send_id = $1`,
      [uuidOf('send', send.sendId)],
    );
    await world.database.query('analyze message');
    const cursor = wireId('sub', '7fffffff-ffff-4fff-bfff-ffffffffffff');
    const page = { statuses: null, cursor, limit: 50 };
    const plan = await planOf((sql) => new RecipientRepository(sql).list(tenant.organizationId, send.sendId, page));
    expect(nodesOf(plan).map((node) => node['Node Type'])).not.toContain('Sort');
    expect(blocksOf(plan)).toBeLessThan(300);
  });

  it('is the same for every claim of single messages, however many wait', async () => {
    const waiting = (organizations: number, messages: number) =>
      world.database.query(
        `insert into message (organization_id, message_id, period, kind, email, subject, state, due_at)
         select o.id, gen_random_uuid(), date_trunc('month', clock_timestamp())::date, 'WORKFLOW', 'a@b.example', '', 'QUEUED', clock_timestamp()
         from (select gen_random_uuid() as id from generate_series(1, $1)) o, generate_series(1, $2)`,
        [organizations, messages],
      );
    const blocks = async () => {
      const rows: { organization_id: string; message_id: string; period: string }[] = await world.database.query(
        `select organization_id, message_id, period::text as period from message where kind = 'WORKFLOW' order by due_at desc limit 5`,
      );
      const marks = rows.map((row) => {
        const organizationId = wireId('org', row.organization_id);
        const claim = { organizationId, messageId: row.message_id, period: row.period, owner: newUuid(), fence: '1' };
        const message = { ...claim, kind: 'WORKFLOW' as const, sendId: null, pageNo: null, subscriberId: null };
        return {
          message: { ...message, email: 'a@b.example', attempts: 0, simulated: false },
          subject: '',
          mailbox: null,
        };
      });
      const at = new Date().toISOString();
      const nothing = {
        code: null,
        enhancedCode: null,
        response: '',
        wait: null,
        skipReason: null,
        events: '',
        lane: 0,
      };
      const settlements = marks.map(({ message }) => ({ ...nothing, message, at, state: 'SENT' as const }));
      const asks: Record<string, (due: DueMessageRepository) => Promise<unknown>> = {
        claim: (due) => due.claim(['TRANSACTIONAL', 'WORKFLOW'], 20),
        'claim in turn': (due) => due.claimInTurn(['TRANSACTIONAL', 'WORKFLOW'], 20, null),
        mark: (due) => due.updateAttempting(marks),
        settle: (due) => due.settle('attempted', settlements),
        'take over': (due) => due.takeOver(['TRANSACTIONAL', 'WORKFLOW']),
      };
      const prepared = (sql: Sql): PreparedSql => ({
        query: (_name, text, values) => sql.query(text, [...values]),
        end: () => Promise.resolve(),
      });
      const read = new Map<string, number>();
      for (const [what, ask] of Object.entries(asks)) {
        const plan = await planOf((sql) => ask(new DueMessageRepository(prepared(sql), newUuid(), 30)), planner);
        read.set(what, blocksOf(plan));
      }
      return read;
    };
    await waiting(40, 5);
    const few = await blocks();
    await waiting(1, 30_000);
    const many = await blocks();
    for (const [what, read] of many) {
      process.stdout.write(`blocks to ${what}: ${few.get(what)} when few wait, ${read} when 30,000 do\n`);
      expect(read).toBeLessThan(few.get(what)! * 2 + 50);
    }
  });
});
