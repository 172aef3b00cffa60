import { DataSource } from 'typeorm';
import { runtimeDataSource, runtimeUrl, uuidOf } from '#database';
import { testRolePrefix } from '#testing';
import type { TestDatabase } from '#testing';
import { environmentFor, freshDatabase } from '../../../../test/harness/service-plans.js';
import type { Draft } from '../../src/rules/draft/draft.js';
import type { VersionEmail } from '../../src/rules/compiled-version.js';

const service = 'workflow';

/** A workflow as publishing leaves it: the first version is live, and a tag starts it. */
export interface Published {
  organizationId: string;
  workflowId: string;
  startTag: string;
  draft: Draft;
  emails: Record<string, VersionEmail>;
}

/** A database with a simulated clock: statements that read PostgreSQL's time read a row instead. */
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
    }).initialize();
    return new VirtualDatabase(dataSource, owner, database, start);
  }

  async close(): Promise<void> {
    await this.service.destroy();
    await this.owner.destroy();
    await this.database.drop();
  }

  /** Sets the clock to `milliseconds` after a minute. @returns the new time */
  async setTime(minute: number, milliseconds: number): Promise<Date> {
    const at = new Date(this.start.getTime() + minute * 60_000 + milliseconds);
    await this.owner.query(`update virtual.clock set at = $1`, [at]);
    return at;
  }

  /** Writes live workflows, all in one go: a thousand one after the other would take longer than what they do. */
  async publish(workflows: readonly Published[], now: Date): Promise<void> {
    const rows = workflows.map(({ organizationId, workflowId, startTag, draft, emails }) => ({
      org: uuidOf('org', organizationId),
      id: uuidOf('wf', workflowId),
      tag: startTag,
      emails,
      graph: draft.graph,
      settings: draft.settings,
      goals: draft.successGoals,
    }));
    await this.owner.query(
      `with w as materialized (
         select * from jsonb_to_recordset($1::jsonb) w(org uuid, id uuid, tag text, graph jsonb, settings jsonb, goals jsonb, emails jsonb)),
       made as (
         insert into workflow.workflow (organization_id, workflow_id, name, status, draft, settings, success_goals, published_version, updated_at)
         select org, id, 'Simulated', 'ACTIVE', graph, settings, goals, 1, $2 from w),
       versions as (
         insert into workflow.workflow_version (organization_id, workflow_id, version, graph, settings, success_goals, emails, published_at)
         select org, id, 1, graph, settings, goals, emails, $2 from w)
       insert into workflow.trigger_index (organization_id, kind, key, workflow_id, version) select org, 'TAG_ADDED', tag, id, 1 from w`,
      [JSON.stringify(rows), now],
    );
  }

  /** Forgets everything that was simulated. */
  async clear(): Promise<void> {
    await this.owner.query(
      `truncate workflow.workflow, workflow.workflow_version, workflow.trigger_index, workflow.email_use, workflow.run,
         workflow.run_history, workflow.enrolled_once, workflow.start_request, workflow.outbox, workflow.inbox`,
    );
  }
}
