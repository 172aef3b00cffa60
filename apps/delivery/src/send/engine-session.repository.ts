import pg from 'pg';
import { protocolVersion } from '#contracts';
import { ReplicaRepository } from '#database';
import type { Sql } from '#database';
import type { DataSource } from 'typeorm';

/** An engine that sends renews its leases many times a second: one that was silent for so long lost more than its session. */
const silentSeconds = 1;
/** After a restart of PostgreSQL all engines lack their locks for a moment. */
const reconnectMs = 10_000;

const role = 'send engine';

const lockOf = (owner: string) => `hashtextextended('send engine ' || ${owner}, 0)`;

/**
 * Frees the chunks of engines whose process died. Each engine holds an advisory lock in an open transaction, which ends
 * with the connection when the process is killed (PostgreSQL 13.3.5). A machine that vanishes ends no connection: its
 * leases expire as usual. The lock belongs to a transaction and not to a session, because a pooler shares sessions.
 */
export class EngineSessionRepository {
  #client: pg.Client | null = null;
  /** When the locks of others are worth looking at; null before the first lock of its own. */
  #checksAt: number | null = null;

  /** @param owner the uuid under which the engine leases chunks */
  constructor(
    private readonly dataSource: DataSource,
    private readonly owner: string,
    private readonly leaseSeconds: number,
  ) {}

  /** Says that this engine lives, and takes the lock, again after the connection broke; to be called every few seconds. */
  async hold(): Promise<void> {
    await new ReplicaRepository(this.dataSource.manager).renew(role, this.owner, protocolVersion, this.leaseSeconds);
    await this.#lock();
  }

  async #lock(): Promise<void> {
    if (this.#client) return await this.#use(this.#client, async (client) => void (await client.query('select 1')));
    const { url, applicationName, extra } = this.dataSource.options as {
      url: string;
      applicationName: string;
      extra: pg.ClientConfig;
    };
    const client = new pg.Client({
      ...extra,
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: 10_000,
      query_timeout: 10_000,
    });
    // The next statement reports the failure.
    client.on('error', () => undefined);
    await this.#use(client, async () => {
      await client.connect();
      await client.query('begin');
      await client.query(`select pg_advisory_xact_lock(${lockOf('$1::text')})`, [this.owner]);
      // Listed only while the lock is held: an owner without a row counts as alive.
      await this.dataSource.manager.query(`insert into send_engine (owner) values ($1) on conflict do nothing`, [
        this.owner,
      ]);
    });
    this.#client = client;
    this.#checksAt = this.#checksAt === null ? 0 : performance.now() + reconnectMs;
  }

  /**
   * Releases the chunks of engines that are gone, for the next claims.
   * @returns how many chunks they had; those of an engine that said something within the last second are left for a
   * later call
   */
  async releaseAbandoned(): Promise<number> {
    if (this.#checksAt === null || performance.now() < this.#checksAt) return 0;
    const [row]: [{ n: number }] = await this.dataSource.manager.query(
      `with gone as materialized (
         select owner from send_engine where owner <> $1 and pg_try_advisory_xact_lock(${lockOf('owner::text')})),
       leased as materialized (
         select p.organization_id, p.send_id, p.page_no, p.owner, p.until from gone g
         join send_page p on p.owner = g.owner and p.state = 'LEASED'),
       released as (
         update send_page p set state = 'READY', owner = null, until = null from leased l
         where p.organization_id = l.organization_id and p.send_id = l.send_id and p.page_no = l.page_no
           and p.state = 'LEASED' and p.owner = l.owner
           and p.until < clock_timestamp() + make_interval(secs => greatest($2::float8 - ${silentSeconds}, 0))
         returning p.page_no),
       forgotten as (
         delete from send_engine e using gone g
         where e.owner = g.owner and not exists (select from leased l where l.owner = g.owner))
       select count(*)::int as n from leased`,
      [this.owner, this.leaseSeconds],
    );
    return row.n;
  }

  /** Releases the lock, which also frees the chunks that the engine still leases. */
  async end(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end();
    await new ReplicaRepository(this.dataSource.manager).end(role, this.owner).catch(() => undefined);
  }

  async #use(client: pg.Client, work: (client: pg.Client) => Promise<void>): Promise<void> {
    try {
      await work(client);
    } catch (error) {
      this.#client = null;
      await client.end().catch(() => undefined);
      throw error;
    }
  }
}

/** Whether an engine that holds its lock has no row in `replica`: its program is older than protocol versions. */
export async function hasOlderEngine(sql: Sql): Promise<boolean> {
  const rows: unknown[] = await sql.query(
    `select from send_engine e join pg_locks l
       on l.locktype = 'advisory' and l.granted and l.objsubid = 1
         and (l.classid::bigint << 32) | l.objid::bigint = ${lockOf('e.owner::text')}
     where l.database = (select oid from pg_database where datname = current_database())
       and not exists (select from replica r where r.role = '${role}' and r.owner = e.owner) limit 1`,
  );
  return rows.length > 0;
}
