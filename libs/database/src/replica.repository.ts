import type { Sql } from './schema-migrator.js';

/** How long a process that was not stopped but disappeared still counts for the formats that may be written, seconds. */
const graceSeconds = 60;

/** Under which name the programs before protocol versions connected to the database. */
export const olderApplicationName = (service: string): string => `tidings ${service}`;

/** Which processes of this schema's service live, by the database's clock, and which protocol versions they have. */
export class ReplicaRepository {
  constructor(private readonly sql: Sql) {}

  /** Says that an owner lives and has a role for `leaseSeconds` from now. */
  async renew(role: string, owner: string, version: number, leaseSeconds: number): Promise<void> {
    await this.sql.query(
      `insert into replica (role, owner, version, until) values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
       on conflict (role, owner) do update set version = excluded.version, until = excluded.until`,
      [role, owner, version, leaseSeconds],
    );
  }

  async end(role: string, owner: string): Promise<void> {
    await this.sql.query(`delete from replica where role = $1 and owner = $2`, [role, owner]);
  }

  /** Deletes rows of processes that disappeared long ago. */
  async deleteOld(): Promise<void> {
    await this.sql.query(`delete from replica where until < clock_timestamp() - make_interval(secs => $1)`, [
      10 * graceSeconds,
    ]);
  }

  /**
   * @returns the least protocol version of the processes that live; 0 when one is older than these versions: it leases a
   * lane without a row here, or is connected under the old name
   */
  async leastVersion(service: string): Promise<number> {
    const [row]: [{ version: number }] = await this.sql.query(
      `select case
         when exists (select from lane_lease l where l.until > clock_timestamp()
           and not exists (select from replica r where r.role = l.role and r.owner = l.owner)) then 0
         when exists (select from pg_stat_activity
           where datname = current_database() and usename = current_user and application_name = $2) then 0
         else (select coalesce(min(version), 0) from replica where until > clock_timestamp() - make_interval(secs => $1))
       end as version`,
      [graceSeconds, olderApplicationName(service)],
    );
    return row.version;
  }
}
