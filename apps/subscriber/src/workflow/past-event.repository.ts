import { subscriberEventTypes } from '#contracts';
import type { SubscriberStatus } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { activityLookup } from '../filter/filter-compiler.js';
import type { WriteCondition } from '../filter/filter-engine.service.js';
import { historyTables } from '../history/history-tables.js';

/** A range of subscribers by their stored ids: after `after` (null: from the first), up to and with `last`. */
export interface SubscriberRange {
  after: string | null;
  last: string;
}

export interface PastEventRow {
  person: string;
  /** Milliseconds since 1970. */
  at: number;
  type: string;
  key: string | null;
}

export interface PastFacts {
  person: string;
  status: SubscriberStatus;
  suppressed: 'BANNED' | 'BOUNCED' | 'COMPLAINED' | null;
  shows: string;
  fields: (string | null)[];
  entered: boolean;
}

/** Types of the history with events to workflows; their ids are at the top of the data. */
const systemTypes = subscriberEventTypes.filter((type) => !type.startsWith('SUBSCRIBER_'));
const firstId = '00000000-0000-0000-0000-000000000000';

/** Reads what simulations of workflows need, by ranges of subscribers; uuids as stored. */
export class PastEventRepository {
  constructor(private readonly sql: Sql) {}

  async count(organizationId: string): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from subscriber where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!.n;
  }

  /**
   * @param end the last subscriber to count; null: none
   * @returns the last of the next `limit` subscribers and how many they are; null when there is none
   */
  async findRange(
    organizationId: string,
    { after, limit, end = null }: { after: string | null; limit: number; end?: string | null },
  ): Promise<{ last: string; size: number } | null> {
    const rows: { last: string | null; size: number }[] = await this.sql.query(
      `select max(id::text)::uuid as last, count(*)::int as size from (
         select subscriber_id as id from subscriber where organization_id = $1 and subscriber_id > $2
           and ($4::uuid is null or subscriber_id <= $4) order by subscriber_id limit $3) s`,
      [uuidOf('org', organizationId), after ?? firstId, limit, end],
    );
    const { last, size } = rows[0]!;
    return last === null ? null : { last, size };
  }

  /**
   * Lists events that workflows heard, by subscriber and time. Opens and clicks of machines are left out, as are lines
   * that a caller wrote under the name of a system type: no service published an event for them.
   */
  async listEvents(
    organizationId: string,
    { after, last }: SubscriberRange,
    { from, to, types, limit }: { from: string; to: string; types: readonly string[] | null; limit: number },
  ): Promise<PastEventRow[]> {
    const rows: (PastEventRow & { campaign: string | null })[] = await this.sql.query(
      `select person, at, type, key, campaign from (${pastRows(types).join(' union all ')}) u order by person, created_at, event_id limit $8`,
      [uuidOf('org', organizationId), after ?? firstId, last, from, to, types, systemTypes, limit],
    );
    return rows.map(({ campaign, ...row }) => ({ ...row, key: campaign === null ? row.key : wireId('cmp', campaign) }));
  }

  /** Lists the subscribers of a range that meet one of the conditions. */
  async listMatches(
    organizationId: string,
    { after, last }: SubscriberRange,
    where: readonly WriteCondition[],
  ): Promise<string[]> {
    const params: unknown[] = [uuidOf('org', organizationId), after ?? firstId, last];
    const conditions = where.map((write) => write(params));
    const rows: { id: string }[] = await this.sql.query(
      `select s.subscriber_id as id from subscriber s ${conditions.find(({ join }) => join)?.join ?? ''}
       where s.organization_id = $1 and s.subscriber_id > $2 and s.subscriber_id <= $3
         and (${conditions.map(({ text }) => text).join(' or ')})`,
      params,
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the facts of now that decide a simulation, in the order of ids; `shows` has a character a condition. */
  async listFacts(
    organizationId: string,
    people: readonly string[],
    asked: {
      workflowId: string;
      from: string;
      fieldKeys: readonly string[];
      shows: readonly (WriteCondition | null)[];
    },
  ): Promise<PastFacts[]> {
    const params: unknown[] = [uuidOf('org', organizationId), people, uuidOf('wf', asked.workflowId), asked.from];
    const fields = asked.fieldKeys.map((key) => `s.custom ->> $${params.push(key)}::text`);
    const conditions = asked.shows.map((write) => write?.(params) ?? { text: 'false', join: '' });
    const flags = conditions.map(({ text }) => `case when ${text} then '1' else '0' end`);
    return await this.sql.query(
      `select s.subscriber_id as person, s.status,
         case when s.banned_at is not null then 'BANNED' when s.complained_at is not null then 'COMPLAINED'
           when s.hard_bounced_at is not null then 'BOUNCED' end as suppressed,
         ${flags.length > 0 ? flags.join(' || ') : `''`} as shows,
         ${fields.length > 0 ? `array[${fields.join(', ')}]` : `'{}'::text[]`} as fields,
         exists (select from subscriber_workflow w where w.organization_id = $1 and w.workflow_id = $3
           and w.subscriber_id = s.subscriber_id and w.entered_at < $4) as entered
       from subscriber s ${conditions.some(({ join }) => join) ? activityLookup : ''}
       where s.organization_id = $1 and s.subscriber_id = any($2::uuid[]) order by s.subscriber_id`,
      params,
    );
  }
}

/** SQL: the events of a range, each relation limited before they are merged. */
function pastRows(types: readonly string[] | null): string[] {
  const columns = `e.subscriber_id as person, (extract(epoch from e.created_at) * 1000)::float8 as at, upper(e.type) as type, e.created_at, e.event_id`;
  const range = `e.organization_id = $1 and e.subscriber_id > $2 and e.subscriber_id <= $3
    and e.created_at >= $4 and e.created_at <= $5 and ($6::text[] is null or upper(e.type) = any($6::text[]))`;
  const end = 'order by e.subscriber_id, e.created_at, e.event_id limit $8';
  const recorded = `(select ${columns}, null::uuid as campaign,
      case when e.type = any($7::text[]) then coalesce(e.data ->> 'tagId', e.data ->> 'field', e.data ->> 'campaignId') end as key
    from subscriber_event e where ${range}
      and (e.type <> all($7::text[]) or e.data ->> 'machine' is distinct from 'true' and e.data ->> 'source' is distinct from 'api') ${end})`;
  // From the subscribers of the organization, since the rows of recipients are not in the order of organizations.
  const derived = `(select ${columns}, e.campaign_id as campaign, null as key
    from subscriber s join campaign_mail_event e on e.organization_id = s.organization_id and e.subscriber_id = s.subscriber_id
    where s.organization_id = $1 and s.subscriber_id > $2 and s.subscriber_id <= $3 and ${range} ${end})`;
  return historyTables(types).length > 1 ? [recorded, derived] : [recorded];
}
