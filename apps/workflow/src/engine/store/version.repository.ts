import { jsonbText, prepared, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Draft } from '../../rules/draft/draft.js';
import type { Settings, SuccessGoal } from '../../rules/graph/step-config.js';
import { isType } from '../../rules/graph/graph.js';
import type { Graph } from '../../rules/graph/graph.js';
import { indexKeysOf } from '../../rules/trigger-event.js';
import type { VersionEmail } from '../../rules/compiled-version.js';

export interface NewVersion {
  workflowId: string;
  version: number;
  draft: Draft;
  emails: Record<string, VersionEmail>;
}

export class VersionRepository {
  constructor(private readonly sql: Sql) {}

  async find(
    organizationId: string,
    { workflowId, version }: { workflowId: string; version: number },
  ): Promise<Pick<NewVersion, 'draft' | 'emails'> | null> {
    const rows: { graph: Graph; settings: Settings; success_goals: SuccessGoal[]; emails: NewVersion['emails'] }[] =
      await this.sql.query(
        `select graph, settings, success_goals, emails from workflow_version
         where organization_id = $1 and workflow_id = $2 and version = $3`,
        [uuidOf('org', organizationId), uuidOf('wf', workflowId), version],
      );
    const row = rows[0];
    if (!row) return null;
    const { graph, settings, success_goals: successGoals, emails } = row;
    return { draft: { graph, settings, successGoals }, emails };
  }

  async findPublishedAt(
    organizationId: string,
    { workflowId, version }: { workflowId: string; version: number },
  ): Promise<Date | null> {
    const rows: { published_at: Date }[] = await this.sql.query(
      `select published_at from workflow_version where organization_id = $1 and workflow_id = $2 and version = $3`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId), version],
    );
    return rows[0]?.published_at ?? null;
  }

  /** @returns the given organizations that have ever published a workflow; others have no triggers and no runs */
  async listPublishers(organizationIds: readonly string[]): Promise<Set<string>> {
    const rows: { organization_id: string }[] = await this.sql.query(publishersSql, [
      [...new Set(organizationIds)].map((id) => uuidOf('org', id)),
    ]);
    return new Set(rows.map((row) => wireId('org', row.organization_id)));
  }

  /** Inserts a version, makes it the live one and replaces the trigger index; the caller has locked the workflow. */
  async insert(organizationId: string, { workflowId, version, draft, emails }: NewVersion, now: Date): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('wf', workflowId)];
    await this.sql.query(
      `insert into workflow_version (organization_id, workflow_id, version, graph, settings, success_goals, emails, published_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [...key, version, ...[draft.graph, draft.settings, draft.successGoals, emails].map(jsonbText), now],
    );
    await this.sql.query(`update workflow set published_version = $3 where organization_id = $1 and workflow_id = $2`, [
      ...key,
      version,
    ]);
    const triggers = draft.graph.steps.flatMap((step) => (isType(step, 'TRIGGER') ? indexKeysOf(step.config) : []));
    await this.sql.query(`delete from trigger_index where organization_id = $1 and workflow_id = $2`, key);
    await this.sql.query(
      `insert into trigger_index (organization_id, workflow_id, version, kind, key)
       select distinct $1::uuid, $2::uuid, $3::int, kind, key from unnest($4::text[], $5::text[]) u(kind, key)`,
      [...key, version, triggers.map(({ kind }) => kind), triggers.map((trigger) => trigger.key)],
    );
    await this.sql.query(
      `insert into email_use (organization_id, workflow_id, email_id, step_id)
       select $1, $2, u.email, u.step from unnest($3::uuid[], $4::text[]) u(email, step)
       on conflict (organization_id, email_id) do update set workflow_id = excluded.workflow_id, step_id = excluded.step_id`,
      [...key, Object.values(emails).map(({ campaignId }) => uuidOf('cmp', campaignId)), Object.keys(emails)],
    );
  }
}

const publishersSql = prepared(
  'list publishers',
  `select u.organization_id from unnest($1::uuid[]) u(organization_id)
   where exists (select from workflow_version v where v.organization_id = u.organization_id)`,
);
