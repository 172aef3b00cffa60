import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { uuidOf } from '#database';

/** How many rows the services wrote, by table and kind. */
export type Written = Map<string, number>;

/** Bytes on disk by table, with its indexes. */
export type Sizes = Map<string, number>;

/** A table of all months: partitions and their parent are one. */
const tableSql = `schemaname || '.' || regexp_replace(relname, '_p?\\d{4}.*$', '')`;

/** Backends report what they counted when they have been idle for ten seconds. */
const reportedAfterMs = 11_000;

/** The database of the system, as its owner sees it. */
export class RowCounter {
  readonly #client: pg.Client;

  constructor(databaseUrl: string) {
    this.#client = new pg.Client({ connectionString: databaseUrl });
  }

  async open(): Promise<void> {
    await this.#client.connect();
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  /**
   * Waits until the subscriber service has applied the events of `messages` messages. @throws Error after `withinMs`
   */
  async factsApplied(organizationId: string, messages: number, withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    for (;;) {
      const { rows } = await this.#client.query<{ n: number }>(
        `select ((select count(*) from subscriber.subscriber_campaign where organization_id = $1)
           + (select count(*) from subscriber.recipient_campaign where organization_id = $1))::int as n`,
        [uuidOf('org', organizationId)],
      );
      if (rows[0]!.n >= messages) return;
      if (Date.now() > end) throw new Error(`facts of ${rows[0]!.n} of ${messages} messages after ${withinMs} ms`);
      await sleep(100);
    }
  }

  /** The processes of the server; a connection has the name of its service. */
  async processes(): Promise<{ postmaster: number; others: { pid: number; name: string }[] }> {
    const { rows } = await this.#client.query<{ pid: number; name: string }>(
      `select pid, case when backend_type <> 'client backend' then backend_type else coalesce(nullif(application_name, ''), 'bench') end as name
       from pg_stat_activity where datname is null or datname = current_database()`,
    );
    const {
      rows: [line],
    } = await this.#client.query<{ line: string }>(`select pg_read_file('postmaster.pid', 0, 20) as line`);
    return { postmaster: Number.parseInt(line!.line, 10), others: rows };
  }

  async sizes(): Promise<Sizes> {
    const { rows } = await this.#client.query<{ name: string; bytes: string }>(
      `select ${tableSql} as name, sum(pg_total_relation_size(relid)) as bytes from pg_stat_user_tables group by 1 order by 1`,
    );
    return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
  }

  /** Bytes of write-ahead log of the whole server since it was made. */
  async walBytes(): Promise<number> {
    const { rows } = await this.#client.query<{ bytes: string }>(
      `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`,
    );
    return Number(rows[0]!.bytes);
  }

  /** Inserts, updates and deletes since the database was made, once every backend has reported. */
  async written(): Promise<Written> {
    await sleep(reportedAfterMs);
    const { rows } = await this.#client.query<{ name: string; kind: string; n: string }>(
      `select ${tableSql} as name, kind, sum(n) as n from pg_stat_user_tables,
         lateral (values ('inserts', n_tup_ins), ('updates', n_tup_upd), ('deletes', n_tup_del)) o(kind, n)
       group by 1, 2 having sum(n) > 0 order by 1, 2`,
    );
    return new Map(rows.map(({ name, kind, n }) => [`${name} ${kind}`, Number(n)]));
  }
}
