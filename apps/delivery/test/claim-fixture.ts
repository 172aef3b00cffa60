import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { wireId } from '#database';
import { CallContexts } from '#service-host';
import { ChunkRepository } from '../src/send/chunk/chunk.repository.js';
import { finishSends } from '../src/send/finish-send.job.js';
import { preparedSql } from '../src/send/prepared-sql.repository.js';
import type { PreparedSql } from '../src/send/prepared-sql.repository.js';
import { SendRepository } from '../src/send/send.repository.js';
import type { SendFixture } from './send-fixture.js';

/** The uuids of a send. */
export interface MadeSend {
  organization_id: string;
  send_id: string;
}

const tables =
  'send, send_page, message_queue, organization_turn, send_turn, send_turn_change, send_end_check, mail_hold';

/** Sends that no claim would find in time: no change is noted, and a turn is missing or too late. */
const forgottenSql = `
  select s.send_id, n.at, t.turn_at, o.turn_at as organization_at
  from send s cross join lateral (select greatest(next_send_turn(s.organization_id, s.send_id), clock_timestamp()) as at
    where next_send_turn(s.organization_id, s.send_id) is not null) n
  left join send_turn t using (organization_id, send_id) left join organization_turn o using (organization_id)
  where (t.turn_at is null or t.turn_at > n.at or o.turn_at is null or o.turn_at > n.at)
    and not exists (select from send_turn_change c where c.send_id = s.send_id)`;

/** The claim of the version before, with which a rolling upgrade mixes. */
const claimBeforeSql = `
  with next as (
    select s.organization_id, s.send_id from send s
    where s.finished_at is null and s.state in ('STOPPED', 'RUNNING') and s.send_id <> all($3::uuid[])
      and (s.not_before is null or s.not_before < clock_timestamp()) and exists (
      select from send_page q where q.organization_id = s.organization_id and q.send_id = s.send_id and q.state <> 'DONE'
        and (q.state = 'READY' or q.until < clock_timestamp()))
    order by s.priority, s.served_at limit 1 for no key update of s skip locked),
  served as (
    update send s set served_at = clock_timestamp() from next n
    where s.organization_id = n.organization_id and s.send_id = n.send_id returning s.organization_id, s.send_id),
  free as (
    select q.organization_id, q.send_id, q.page_no from send_page q join next n using (organization_id, send_id)
    where q.state <> 'DONE' and (q.state = 'READY' or q.until < clock_timestamp())
    order by q.page_no limit 1 for no key update of q skip locked)
  update send_page p set state = 'LEASED', owner = $1, fence = p.fence + 1, until = clock_timestamp() + make_interval(secs => $2)
  from free f join served s using (organization_id, send_id)
  where p.organization_id = f.organization_id and p.send_id = f.send_id and p.page_no = f.page_no
  returning p.send_id, p.page_no`;

/** Sends whose chunks the tests claim and end themselves, in any number; they have no audience and no recipients. */
export class ClaimFixture {
  #sql: PreparedSql | null = null;

  private constructor(private readonly world: SendFixture) {}

  /** Deletes all sends after each test of the suite, and checks that no turn was forgotten. */
  static ofSuite(world: SendFixture): ClaimFixture {
    const fixture = new ClaimFixture(world);
    beforeAll(() => {
      fixture.#sql = preparedSql(world.database, 8);
    });
    afterEach(async () => {
      const forgotten = await fixture.forgotten();
      await world.database.query(`truncate ${tables}`);
      expect(forgotten).toEqual([]);
    });
    afterAll(() => fixture.#sql!.end());
    return fixture;
  }

  get sends(): SendRepository {
    return new SendRepository(this.world.database.manager);
  }

  /** The claims of one process. */
  process(leaseSeconds = 600): ChunkRepository {
    return new ChunkRepository(this.#sql!, randomUUID(), leaseSeconds);
  }

  /** Claims a chunk as a process of the version before does. @returns undefined if it finds none */
  async claimBefore(owner: string): Promise<{ send_id: string; page_no: number } | undefined> {
    const [row] = await this.#sql!.query<{ send_id: string; page_no: number }>('claim before', claimBeforeSql, [
      owner,
      600,
      [],
    ]);
    return row;
  }

  contexts(): CallContexts {
    return new CallContexts('delivery', this.world.database, () => undefined);
  }

  /** One round of the sweep. @returns how many sends it ended or tried to */
  async sweep(): Promise<number> {
    return await finishSends({ contexts: this.contexts() });
  }

  /** Inserts `count` sends, each of an organization of its own unless `organization` names one. */
  async make(count: number, chunks: number, organization: string | null = null): Promise<MadeSend[]> {
    return await this.world.database.query(
      `with made as (
         insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, organization_name,
           total, pages, period)
         select coalesce($3::uuid, gen_random_uuid()), gen_random_uuid(), gen_random_uuid(), 'News', gen_random_uuid(), '{}', '{}',
           'Shop', $2 * 500, $2, date_trunc('month', now()) from generate_series(1, $1::int)
         returning organization_id, send_id),
       paged as (
         insert into send_page (organization_id, send_id, page_no)
         select organization_id, send_id, n from made, generate_series(0, $2::int - 1) n)
       select * from made`,
      [count, chunks, organization],
    );
  }

  async makeOne(chunks: number): Promise<MadeSend> {
    return (await this.make(1, chunks))[0]!;
  }

  async setSend(change: string, { send_id }: MadeSend): Promise<void> {
    await this.world.database.query(`update send set ${change} where send_id = $1`, [send_id]);
  }

  async setChunks(change: string, { send_id }: MadeSend): Promise<void> {
    await this.world.database.query(`update send_page set ${change} where send_id = $1`, [send_id]);
  }

  /** Applies all changes of turns, as claims do. */
  async applyChanges(): Promise<void> {
    const apply = () => this.#sql!.query<{ more: boolean }>('apply', 'select update_send_turns(500) as more', []);
    while ((await apply())[0]!.more);
  }

  async hasEnded({ send_id }: MadeSend): Promise<boolean> {
    const [row] = await this.world.database.query<[{ ended: boolean }]>(
      'select finished_at is not null as ended from send where send_id = $1',
      [send_id],
    );
    return row.ended;
  }

  async forgotten(): Promise<unknown[]> {
    return await this.world.database.query(forgottenSql);
  }
}

/** The ids of a send as services exchange them. */
export const idsOf = ({ organization_id, send_id }: MadeSend) =>
  [wireId('org', organization_id), wireId('send', send_id)] as const;
