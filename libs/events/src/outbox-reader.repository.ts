import type { Sql } from '#database';

/** The last message of each lane, and an instant: batches from before it are in these messages or earlier ones. */
export interface PublishedUntil {
  at: Date;
  numbers: Record<string, number>;
}

/** How far the services that consume this schema's events have applied them: what none lacks may leave the outbox. */
export class OutboxReaderRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds services that are not known yet, as having applied everything until now. */
  async insert(consumers: readonly string[]): Promise<void> {
    await this.sql.query(
      `insert into outbox_reader (consumer, numbers, noted_at, applied_until)
       select c, '{}', clock_timestamp(), clock_timestamp() from unnest($1::text[]) c on conflict do nothing`,
      [consumers],
    );
  }

  /** The hour covers transactions that are not committed yet. */
  async getPublished(): Promise<PublishedUntil> {
    const [row]: [PublishedUntil] = await this.sql.query(
      `select least(clock_timestamp() - interval '1 hour',
           (select to_timestamp(min(('x' || left(replace(outbox_id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0)
            from outbox where published_at is null)) as at,
         (select coalesce(jsonb_object_agg(lane, position -> 'number'), '{}') from lane_lease
          where role = 'relay' and position -> 'number' is not null) as numbers`,
    );
    return row;
  }

  /**
   * Records that a service misses no events. If it has applied the messages that were the last ones at an earlier call,
   * everything from before that call is applied, and those of now are noted.
   * @param applied the number of the last message by lane that it has applied; a lane of which it applied none counts as
   * applied, since what it lacks is then unknown
   */
  async updateApplied(
    consumer: string,
    applied: readonly { lane: number; number: number }[],
    { at, numbers }: PublishedUntil,
  ): Promise<void> {
    const byLane = Object.fromEntries(applied.map(({ lane, number }) => [lane, number]));
    await this.sql.query(
      `update outbox_reader r set applied_until = greatest(applied_until, noted_at), noted_at = $4, numbers = $3
       where consumer = $1 and not exists (
         select from jsonb_each_text(r.numbers) n where ($2::jsonb ->> n.key)::bigint < n.value::bigint)`,
      [consumer, byLane, numbers, at],
    );
  }

  /**
   * Lists services that have not confirmed events of more than `hours` ago: the instant of the oldest, and its age in
   * seconds. One that applies all at once is an hour and two runs of the job behind.
   */
  async listBehind(hours: number): Promise<{ consumer: string; since: Date; seconds: number }[]> {
    return await this.sql.query(
      `select consumer, applied_until as since, extract(epoch from clock_timestamp() - applied_until)::float8 as seconds
       from outbox_reader
       where applied_until < clock_timestamp() - make_interval(hours => $1) order by consumer`,
      [hours],
    );
  }
}
