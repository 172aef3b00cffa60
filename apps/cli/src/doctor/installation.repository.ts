import pg from 'pg';
import type { Service } from '#contracts';

const schemas: readonly Service[] = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'];
const connectMs = 5_000;

export class InstallationRepository {
  private constructor(private readonly client: pg.Client) {}

  /** Connects. @throws Error when the server does not answer within 5 s */
  static async connect(url: string): Promise<InstallationRepository> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, query_timeout: 30_000 });
    client.on('error', () => undefined);
    await client.connect();
    return new InstallationRepository(client);
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  /** Version of the server, its clock, and the settings that durability and search depend on. */
  async findServer() {
    const { rows } = await this.client.query<{
      version: string;
      number: number;
      encoding: string;
      folds: boolean;
      fsync: string;
      full_page_writes: string;
      at: Date;
    }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
         current_setting('server_encoding') as encoding, lower('É') = 'é' as folds, current_setting('fsync') as fsync,
         current_setting('full_page_writes') as full_page_writes, clock_timestamp() as at`,
    );
    return rows[0]!;
  }

  async listMigrations(): Promise<Record<string, string[]>> {
    const applied: Record<string, string[]> = {};
    for (const schema of schemas) {
      applied[schema] = (await this.#hasTable(`${schema}.migration`))
        ? (await this.client.query<{ timestamp: string }>(`select timestamp::text from ${schema}.migration`)).rows.map(
            (row) => row.timestamp,
          )
        : [];
    }
    return applied;
  }

  async listOutboxes(): Promise<{ schema: string; events: number; oldestSeconds: number }[]> {
    const waiting = [];
    for (const schema of schemas) {
      const { rows } = await this.client.query<{ events: number; oldest: number | null }>(
        // The first 48 bits of an id are its time in milliseconds (UUID version 7, RFC 9562).
        `select count(*)::int as events, extract(epoch from clock_timestamp())::float8
           - min(('x' || left(replace(outbox_id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0::float8 as oldest
         from ${schema}.outbox where published_at is null`,
      );
      waiting.push({ schema, events: rows[0]!.events, oldestSeconds: Math.max(0, rows[0]!.oldest ?? 0) });
    }
    return waiting;
  }

  async countDeadLetters(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const schema of schemas) {
      const { rows } = await this.client.query<{ n: number }>(
        `select count(*)::int as n from ${schema}.dead_letter where replayed_at is null`,
      );
      if (rows[0]!.n > 0) counts.set(schema, rows[0]!.n);
    }
    return counts;
  }

  async findHold(): Promise<{ reason: string; since: Date } | null> {
    const { rows } = await this.client.query<{ reason: string; since: Date }>(
      `select reason, held_at as since from delivery.mail_hold`,
    );
    return rows[0] ?? null;
  }

  /** Workflows that the system paused, with the reason; at most ten. */
  async listPausedWorkflows(): Promise<{ name: string; reason: string }[]> {
    const { rows } = await this.client.query<{ name: string; reason: string }>(
      `select name, paused_reason as reason from workflow.workflow
       where status = 'PAUSED' and paused_reason is not null order by updated_at desc limit 10`,
    );
    return rows;
  }

  /** Days since the newest finished backup; null when there is none. */
  async findBackupAge(): Promise<number | null> {
    const { rows } = await this.client.query<{ days: number | null }>(
      `select (extract(epoch from clock_timestamp() - max(finished_at)) / 86400)::float8 as days from domain.backup`,
    );
    return rows[0]!.days;
  }

  /** Owners and admins without a second factor, by address, at most ten; and how many there are in all. */
  async findUnprotectedMembers(): Promise<{ emails: string[]; count: number }> {
    const { rows } = await this.client.query<{ emails: string[] | null; count: number }>(
      `select (array_agg(email order by email))[1:10] as emails, count(*)::int as count from domain.user_account u
       where exists (select from domain.membership m where m.user_id = u.user_id and m.role in ('admin', 'owner'))
         and not exists (select from domain.second_factor f where f.user_id = u.user_id)`,
    );
    return { emails: rows[0]!.emails ?? [], count: rows[0]!.count };
  }

  async listSendingDomains(): Promise<{ domain: string; status: string }[]> {
    const { rows } = await this.client.query<{ domain: string; status: string }>(
      `select distinct domain, status from domain.sending_domain where not sandbox order by domain`,
    );
    return rows;
  }

  async #hasTable(name: string): Promise<boolean> {
    const { rows } = await this.client.query<{ found: string | null }>(`select to_regclass($1)::text as found`, [name]);
    return rows[0]!.found !== null;
  }
}
