import type { ConflictStrategy, WorkflowStatus } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export interface Target {
  id: string;
  status: WorkflowStatus;
  version: number | null;
  groupId: string | null;
  strategy: ConflictStrategy | null;
}

/** A queued request to enrol a subscriber by an event or a step. */
export interface StartRequest {
  seq: string;
  organizationId: string;
  subscriberId: string;
  workflowId: string;
  stepId: string | null;
  filters: unknown[] | null;
  anyStatus: boolean;
  /**
   * Id of the event, or of the run whose step requested it; all triggers of a workflow that one event meets share it.
   */
  cause: string;
}

export class EnrolmentRepository {
  constructor(private readonly sql: Sql) {}

  /** Locks enrolment decisions about these subscribers until the commit; sorted to avoid deadlocks. */
  async lockSubscribers(organizationId: string, subscriberIds: readonly string[]): Promise<void> {
    const org = uuidOf('org', organizationId)!;
    const uuids = [...new Set(subscriberIds)].map((id) => uuidOf('sub', id)).sort();
    await this.sql.query(
      `select pg_advisory_xact_lock(hashtextextended($1 || id, 0)) from unnest($2::text[]) with ordinality u(id, place) order by place`,
      [org, uuids],
    );
  }

  /** Returns workflows by id and locks their status until the commit. */
  async listTargets(organizationId: string, workflowIds: readonly string[]): Promise<Map<string, Target>> {
    const rows: {
      workflow_id: string;
      status: WorkflowStatus;
      published_version: number | null;
      group_id: string | null;
      conflict_strategy: ConflictStrategy | null;
    }[] = await this.sql.query(
      `select w.workflow_id, w.status, w.published_version, w.group_id, g.conflict_strategy
       from workflow w left join workflow_group g on g.organization_id = w.organization_id and g.group_id = w.group_id
       where w.organization_id = $1 and w.workflow_id = any($2::uuid[]) order by w.workflow_id for share of w`,
      [uuidOf('org', organizationId), [...new Set(workflowIds)].map((id) => uuidOf('wf', id))],
    );
    return new Map(
      rows.map((row) => [
        wireId('wf', row.workflow_id),
        {
          id: wireId('wf', row.workflow_id),
          status: row.status,
          version: row.published_version,
          groupId: row.group_id && wireId('wfg', row.group_id),
          strategy: row.conflict_strategy,
        },
      ]),
    );
  }

  /** Returns which of these pairs were ever enrolled, as `workflow subscriber`. */
  async listEnrolled(
    organizationId: string,
    pairs: readonly { workflowId: string; subscriberId: string }[],
  ): Promise<Set<string>> {
    const rows: { workflow_id: string; subscriber_id: string }[] = await this.sql.query(
      `select u.workflow as workflow_id, u.person as subscriber_id from unnest($2::uuid[], $3::uuid[]) u(workflow, person)
       cross join lateral (
         select from enrolled_once e where e.organization_id = $1 and e.workflow_id = u.workflow and e.subscriber_id = u.person limit 1) e`,
      pairParameters(organizationId, pairs),
    );
    return new Set(rows.map((row) => `${wireId('wf', row.workflow_id)} ${wireId('sub', row.subscriber_id)}`));
  }

  /**
   * Counts runs of these pairs that started within the last hour and since the system's last pause of the workflow.
   * Keys are `workflow subscriber`; ids of runs hold the time. `offset 0` keeps the planner from the index of all ids,
   * in which statistics of yesterday promise none of this hour.
   */
  async countStarts(
    organizationId: string,
    pairs: readonly { workflowId: string; subscriberId: string }[],
  ): Promise<Map<string, number>> {
    if (pairs.length === 0) return new Map();
    const rows: { workflow_id: string; subscriber_id: string; n: number }[] = await this.sql.query(
      `select r.workflow_id, r.subscriber_id, count(*)::int as n
       from (select distinct * from unnest($2::uuid[], $3::uuid[]) p(workflow, person)) u
       cross join lateral (
         select * from run r where r.organization_id = $1 and r.subscriber_id = u.person offset 0) r
       where r.workflow_id = u.workflow and r.run_id >= uuid_floor(greatest(clock_timestamp() - interval '1 hour', (
           select w.resumed_at from workflow w where w.organization_id = $1 and w.workflow_id = u.workflow)))
       group by r.workflow_id, r.subscriber_id`,
      pairParameters(organizationId, pairs),
    );
    return new Map(rows.map((row) => [`${wireId('wf', row.workflow_id)} ${wireId('sub', row.subscriber_id)}`, row.n]));
  }

  /** The group of a workflow, and whether a subscriber has an open run in another workflow of it; null without one. */
  async findGroup(
    organizationId: string,
    { workflowId, subscriberId }: { workflowId: string; subscriberId: string },
  ): Promise<{ strategy: ConflictStrategy; others: boolean } | null> {
    const rows: { strategy: ConflictStrategy; others: boolean }[] = await this.sql.query(
      `select g.conflict_strategy as strategy, exists (
         select from run r where r.organization_id = $1 and r.subscriber_id = $3 and r.workflow_id <> $2
           and r.group_id = w.group_id and r.finished_at is null) as others
       from workflow w join workflow_group g on g.organization_id = w.organization_id and g.group_id = w.group_id
       where w.organization_id = $1 and w.workflow_id = $2`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId), uuidOf('sub', subscriberId)],
    );
    return rows[0] ?? null;
  }

  async insertEnrolled(
    organizationId: string,
    pairs: readonly { workflowId: string; subscriberId: string }[],
  ): Promise<void> {
    await this.sql.query(
      `insert into enrolled_once (organization_id, workflow_id, subscriber_id)
       select distinct $1::uuid, u.workflow, u.person from unnest($2::uuid[], $3::uuid[]) u(workflow, person)
       order by 2, 3 on conflict do nothing`,
      pairParameters(organizationId, pairs),
    );
  }

  async listGroups(organizationId: string, runIds: readonly string[]): Promise<Map<string, string>> {
    if (runIds.length === 0) return new Map();
    const rows: { run_id: string; group_id: string }[] = await this.sql.query(
      `select u.run_id, r.group_id from unnest($2::uuid[]) u(run_id) cross join lateral (
         select group_id from run r where r.organization_id = $1 and r.run_id = u.run_id limit 1) r where r.group_id is not null`,
      [uuidOf('org', organizationId), runIds.map((id) => uuidOf('run', id))],
    );
    return new Map(rows.map((row) => [wireId('run', row.run_id), wireId('wfg', row.group_id)]));
  }

  async insertRequests(requests: readonly Omit<StartRequest, 'seq'>[]): Promise<void> {
    if (requests.length === 0) return;
    const rows = requests.map((request) => ({
      org: uuidOf('org', request.organizationId),
      person: uuidOf('sub', request.subscriberId),
      workflow: uuidOf('wf', request.workflowId),
      step: request.stepId,
      filters: request.filters,
      any: request.anyStatus,
      cause: request.cause,
    }));
    await this.sql.query(
      `insert into start_request (organization_id, subscriber_id, workflow_id, step_id, filters, any_status, cause)
       select u.org, u.person, u.workflow, u.step, nullif(u.filters, 'null'), u."any", u.cause
       from rows from (jsonb_to_recordset($1::jsonb) as (org uuid, person uuid, workflow uuid, step text, filters jsonb, "any" boolean, cause text))
         with ordinality u(org, person, workflow, step, filters, "any", cause, place) order by u.place`,
      [JSON.stringify(rows)],
    );
  }

  /** Claims the oldest request of each subscriber, so that each is decided after the earlier ones. */
  async claimRequests(perOrganization: number, leaseSeconds: number): Promise<(StartRequest & { until: Date })[]> {
    const rows: {
      seq: string;
      organization_id: string;
      subscriber_id: string;
      workflow_id: string;
      step_id: string | null;
      filters: unknown[] | null;
      any_status: boolean;
      cause: string;
      until: Date;
    }[] = await this.sql.query(`select * from claim_start_requests($1, $2)`, [perOrganization, leaseSeconds]);
    return rows
      .sort((a, b) => Number(a.seq) - Number(b.seq))
      .map((row) => ({
        seq: row.seq,
        stepId: row.step_id,
        filters: row.filters,
        cause: row.cause,
        until: row.until,
        organizationId: wireId('org', row.organization_id),
        subscriberId: wireId('sub', row.subscriber_id),
        workflowId: wireId('wf', row.workflow_id),
        anyStatus: row.any_status,
      }));
  }

  /** Deletes decided requests from the queue. @returns those that no other process had deleted */
  async deleteRequests(seqs: readonly string[]): Promise<Set<string>> {
    const [rows]: [{ seq: string }[]] = await this.sql.query(
      `delete from start_request where seq = any($1::bigint[]) returning seq`,
      [seqs],
    );
    return new Set(rows.map(({ seq }) => seq));
  }

  /**
   * Deletes other requests of the same causes for the same workflow and subscriber, which need no decision any more.
   */
  async deleteAlike(
    requests: readonly Pick<StartRequest, 'organizationId' | 'subscriberId' | 'workflowId' | 'cause'>[],
  ): Promise<void> {
    await this.sql.query(
      `delete from start_request where seq = any(array(
         select q.seq from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) u(org, person, workflow, cause)
         cross join lateral (select * from start_request e where e.subscriber_id = u.person offset 0) q
         where q.organization_id = u.org and q.workflow_id = u.workflow and q.cause = u.cause))`,
      [
        requests.map(({ organizationId }) => uuidOf('org', organizationId)),
        requests.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        requests.map(({ workflowId }) => uuidOf('wf', workflowId)),
        requests.map(({ cause }) => cause),
      ],
    );
  }

  /** Keys are `organization/kind/key`; values hold the ACTIVE workflow and its version. */
  async listTriggers(
    lookups: readonly { organizationId: string; kind: string; key: string }[],
  ): Promise<{ organizationId: string; kind: string; key: string; workflowId: string; version: number }[]> {
    const rows: {
      organization_id: string;
      kind: string;
      key: string;
      workflow_id: string;
      published_version: number;
    }[] = await this.sql.query(
      `select t.organization_id, t.kind, t.key, t.workflow_id, w.published_version
         from (select distinct * from unnest($1::uuid[], $2::text[], $3::text[]) u(org, kind, key)) u
         join trigger_index t on t.organization_id = u.org and t.kind = u.kind and t.key = u.key
         join workflow w on w.organization_id = t.organization_id and w.workflow_id = t.workflow_id and w.status = 'ACTIVE'
         order by t.workflow_id`,
      [
        lookups.map(({ organizationId }) => uuidOf('org', organizationId)),
        lookups.map(({ kind }) => kind),
        lookups.map(({ key }) => key),
      ],
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      kind: row.kind,
      key: row.key,
      version: row.published_version,
      workflowId: wireId('wf', row.workflow_id),
    }));
  }
}

const pairParameters = (organizationId: string, pairs: readonly { workflowId: string; subscriberId: string }[]) => [
  uuidOf('org', organizationId),
  pairs.map(({ workflowId }) => uuidOf('wf', workflowId)),
  pairs.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
];
