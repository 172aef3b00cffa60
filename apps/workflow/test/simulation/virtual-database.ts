import { DataSource } from 'typeorm';
import { runtimeDataSource, runtimeUrl } from '#database';
import { testRolePrefix } from '#testing';
import type { TestDatabase } from '#testing';
import { environmentFor, freshDatabase } from '../../../../test/plans.js';

const service = 'workflow';

/** A database whose clock stands still until it is told to move: what asks PostgreSQL for the time is answered by a row. */
export class VirtualDatabase {
  private constructor(
    /** As the workflow service connects. */
    readonly service: DataSource,
    private readonly owner: DataSource,
    private readonly database: TestDatabase,
    private readonly start: Date,
  ) {}

  static async open(): Promise<VirtualDatabase> {
    const database = await freshDatabase();
    const owner = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
    const masterKey = environmentFor(database.url).MASTER_KEY!;
    const url = runtimeUrl({ ownerUrl: database.url, rolePrefix: testRolePrefix, schema: service, masterKey });
    const options = runtimeDataSource({ url, schema: service, poolSize: 2, applicationName: 'simulation' });
    const { extra } = options as { extra: { options: string } };
    // A schema named before the catalogue hides the catalogue's functions of the same name.
    const path = `search_path=virtual,${service},public,pg_catalog`;
    // A test that gets no processor time for long has not died.
    const patient = `${extra.options.replace(`search_path=${service},public`, path)} -c idle_in_transaction_session_timeout=0`;
    const start = new Date(Math.floor(Date.now() / 1000) * 1000);
    await owner.query(`create schema virtual`);
    await owner.query(`create table virtual.clock as select $1::timestamptz as at`, [start]);
    for (const name of ['clock_timestamp', 'statement_timestamp'])
      await owner.query(
        `create function virtual.${name}() returns timestamptz language sql stable as 'select at from virtual.clock'`,
      );
    await owner.query(`grant usage on schema virtual to public; grant select on virtual.clock to public`);
    const dataSource = await new DataSource({
      ...options,
      extra: { ...extra, options: patient },
    } as typeof options).initialize();
    return new VirtualDatabase(dataSource, owner, database, start);
  }

  async close(): Promise<void> {
    await this.service.destroy();
    await this.owner.destroy();
    await this.database.drop();
  }

  /** Sets the clock to so many milliseconds after a minute. @returns what it shows */
  async setTime(minute: number, milliseconds: number): Promise<Date> {
    const at = new Date(this.start.getTime() + minute * 60_000 + milliseconds);
    await this.owner.query(`update virtual.clock set at = $1`, [at]);
    return at;
  }

  /** Forgets everything that was simulated. */
  async clear(): Promise<void> {
    await this.owner.query(
      `truncate workflow.workflow, workflow.workflow_version, workflow.trigger_index, workflow.email_use, workflow.run,
         workflow.run_history, workflow.enrolled_once, workflow.start_request, workflow.outbox, workflow.inbox`,
    );
  }
}
