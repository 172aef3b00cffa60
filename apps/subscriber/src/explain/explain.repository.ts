import { createdAtOf, uuidOf } from '#database';
import type { Sql } from '#database';
import type { ExplainedTrigger } from '#contracts';
import { historyRows } from '../history/history-tables.js';
import { activityLookup } from '../filter/filter-compiler.js';
import type { WriteCondition } from '../filter/filter-engine.service.js';
import type { Standing } from './explain.js';

/** How a subscriber differed at an earlier instant; ids and keys as they are stored. */
export interface Rewound {
  at: Date;
  status: string;
  fields: Record<string, string | null>;
  tagsHeld: readonly string[];
  tagsMissing: readonly string[];
}

interface ChangeRow {
  kind: 'tag' | 'field';
  type: string;
  tag_id: string | null;
  field_id: string | null;
  previous: string | null;
}

export class ExplainRepository {
  constructor(private readonly sql: Sql) {}

  async findStanding(organizationId: string, subscriberId: string, at: Date): Promise<Standing | null> {
    const rows: { status: string; status_at: Date; former: string | null; suppressed: Standing['suppressed'] }[] =
      await this.sql.query(
        `select s.status, s.status_at,
           (select e.type from subscriber_event e where e.organization_id = $1 and e.subscriber_id = $2 and e.created_at <= $3
              and e.type in ('SUBSCRIBED', 'UNSUBSCRIBED') order by e.created_at desc, e.event_id desc limit 1) as former,
           case when s.banned_at <= $3 then 'BANNED' when s.complained_at <= $3 then 'COMPLAINED'
             when s.hard_bounced_at <= $3 then 'BOUNCED' end as suppressed
         from subscriber s where s.organization_id = $1 and s.subscriber_id = $2`,
        [uuidOf('org', organizationId), uuidOf('sub', subscriberId), at],
      );
    const row = rows[0];
    if (!row) return null;
    const isKnown = row.status_at <= at;
    return {
      createdAt: createdAtOf(uuidOf('sub', subscriberId)!),
      // Everyone is SUBSCRIBED until the history says otherwise.
      status: isKnown ? row.status : (row.former ?? 'SUBSCRIBED'),
      suppressed: row.suppressed,
      certainty: isKnown ? 'RECORDED' : 'REWOUND',
    };
  }

  /** Returns how a subscriber differed at an instant, from the first later change of each tag and field. */
  async rewind(organizationId: string, subscriberId: string, standing: Standing, at: Date): Promise<Rewound> {
    const rows: ChangeRow[] = await this.sql.query(
      `with later as materialized (
         select type, data, created_at, event_id from subscriber_event
         where organization_id = $1 and subscriber_id = $2 and created_at > $3 and type in ('TAG_ADDED', 'TAG_REMOVED', 'FIELD_UPDATED')),
       tag_change as (
         select distinct on (data ->> 'tagId') type, data ->> 'tagId' as tag_id from later where type <> 'FIELD_UPDATED'
         order by data ->> 'tagId', created_at, event_id),
       field_change as (
         select distinct on (data ->> 'field') data ->> 'field' as field, data ->> 'from' as previous from later
         where type = 'FIELD_UPDATED' order by data ->> 'field', created_at, event_id)
       select 'tag' as kind, type, tag_id, null as field_id, null as previous from tag_change
       union all
       select 'field', '', null, f.field_id::text, c.previous from field_change c join custom_field f
         on f.organization_id = $1 and f.deleted_at is null and (f.name = c.field or c.field = any(f.former_names))`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), at],
    );
    const tags = (type: string) =>
      rows.flatMap((row) => (row.kind === 'tag' && row.type === type ? (uuidOf('tag', row.tag_id) ?? []) : []));
    return {
      at,
      status: standing.status,
      fields: Object.fromEntries(rows.flatMap((row) => (row.field_id ? [[row.field_id, row.previous]] : []))),
      tagsHeld: tags('TAG_REMOVED'),
      tagsMissing: tags('TAG_ADDED'),
    };
  }

  /**
   * The instant of the last event that a trigger names, apart from its filters; opens and clicks by machines start no
   * run.
   */
  async findLastEvent(
    organizationId: string,
    subscriberId: string,
    { eventTypes, tags, campaignId = null, fieldId = null }: Omit<ExplainedTrigger, 'filters'>,
  ): Promise<Date | null> {
    const rows: { at: Date | null }[] = await this.sql.query(
      `select max(at) as at from (${historyRows(
        'max(created_at) as at',
        eventTypes,
        `where organization_id = $1 and subscriber_id = $2
         and type = any($3) and ($4::text[] is null or data ->> 'tagId' = any($4))
         and ($5::uuid is null or campaign_id = $5) and data -> 'machine' is distinct from 'true'
         and ($6::uuid is null or exists (select from custom_field f where f.organization_id = $1 and f.field_id = $6
           and (f.name = data ->> 'field' or data ->> 'field' = any(f.former_names))))`,
      )}) u`,
      [
        ...[uuidOf('org', organizationId), uuidOf('sub', subscriberId), eventTypes, tags],
        ...[uuidOf('cmp', campaignId), uuidOf('fld', fieldId)],
      ],
    );
    return rows[0]?.at ?? null;
  }

  /**
   * Whether each condition holds for a subscriber as of an instant. The conditions read tables by name; common table
   * expressions of the same names hold the rows of this subscriber at that instant.
   */
  async evaluate(
    organizationId: string,
    subscriberId: string,
    conditions: readonly WriteCondition[],
    rewound: Rewound | null,
  ): Promise<boolean[]> {
    if (conditions.length === 0) return [];
    const gone = Object.entries(rewound?.fields ?? {});
    const params: unknown[] = [
      uuidOf('org', organizationId),
      uuidOf('sub', subscriberId),
      rewound?.at ?? 'infinity',
      JSON.stringify(rewound ? { status: rewound.status } : {}),
      gone.map(([id]) => id),
      JSON.stringify(Object.fromEntries(gone.filter(([, value]) => value !== null))),
      rewound?.tagsMissing ?? [],
      rewound?.tagsHeld ?? [],
    ];
    const written = conditions.map((condition) => condition(params));
    const flags = written.map(({ text }) => `coalesce((select ${text}), false)`).join(', ');
    const join = written.some((one) => one.join) ? activityLookup : '';
    const rows: { holds: boolean[] }[] = await this.sql.query(
      `with ${tablesAt} select array[${flags}] as holds from subscriber s ${join}`,
      params,
    );
    return rows[0]?.holds ?? conditions.map(() => false);
  }

  /**
   * Finds the page of a frozen audience that has a subscriber, and the position in it, by binary search over its pages,
   * which are in the order of ids.
   * @returns null for a subscriber who is not in the audience
   */
  async findPlace(
    organizationId: string,
    audienceId: string,
    subscriberId: string,
  ): Promise<{ page: number; position: number } | null> {
    const keys = [uuidOf('org', organizationId), uuidOf('aud', audienceId)];
    const [audience]: { pages: number }[] = await this.sql.query(
      `select pages from audience where organization_id = $1 and audience_id = $2`,
      keys,
    );
    let [low, high] = [0, (audience?.pages ?? 0) - 1];
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const [page]: { side: number; position: number | null }[] = await this.sql.query(
        `select case when $4 < subscriber_ids[1] then -1 when $4 > subscriber_ids[cardinality(subscriber_ids)] then 1 else 0 end as side,
           array_position(subscriber_ids, $4) - 1 as position
         from audience_page where organization_id = $1 and audience_id = $2 and page_no = $3`,
        [...keys, middle, uuidOf('sub', subscriberId)],
      );
      if (!page) return null;
      if (page.side === 0) return page.position === null ? null : { page: middle, position: page.position };
      if (page.side < 0) high = middle - 1;
      else low = middle + 1;
    }
    return null;
  }
}

/** SQL: the rows of the subscriber `$2` as of `$3`, under the names of their tables. */
const tablesAt = `
  subscriber_event as materialized (
    select * from subscriber_event where organization_id = $1 and subscriber_id = $2 and created_at <= $3),
  subscriber as materialized (
    select r.* from subscriber o, jsonb_populate_record(o, $4::jsonb ||
      jsonb_build_object('custom', (o.custom - $5::text[]) || $6::jsonb)) r
    where o.organization_id = $1 and o.subscriber_id = $2),
  subscriber_tag as materialized (
    select organization_id, tag_id, subscriber_id from subscriber_tag
    where organization_id = $1 and subscriber_id = $2 and tag_id <> all($7::uuid[])
    union select $1::uuid, tag_id, $2::uuid from unnest($8::uuid[]) tag_id),
  subscriber_campaign as materialized (
    select organization_id, campaign_id, subscriber_id, case when sent_at <= $3 then sent_at end as sent_at,
      case when opened_at <= $3 then opened_at end as opened_at, case when clicked_at <= $3 then clicked_at end as clicked_at,
      case when bounced_at <= $3 then bounced_at end as bounced_at,
      case when last_opened_at <= $3 then last_opened_at when opened_at <= $3 then opened_at end as last_opened_at,
      case when last_clicked_at <= $3 then last_clicked_at when clicked_at <= $3 then clicked_at end as last_clicked_at
    from subscriber_campaign where organization_id = $1 and subscriber_id = $2),
  recipient_campaign as materialized (
    select organization_id, campaign_id, subscriber_id, last_at, case when sent_at <= $3 then sent_at end as sent_at,
      case when delivered_at <= $3 then delivered_at end as delivered_at,
      case when bounced_at <= $3 then bounced_at end as bounced_at,
      case when last_opened_at <= $3 then last_opened_at when opened_at <= $3 then opened_at end as last_opened_at,
      case when last_clicked_at <= $3 then last_clicked_at when clicked_at <= $3 then clicked_at end as last_clicked_at
    from recipient_campaign where organization_id = $1 and subscriber_id = $2),
  subscriber_workflow as materialized (
    select w.* from subscriber_workflow w where w.organization_id = $1 and w.subscriber_id = $2
      and coalesce(w.entered_at <= $3, true)),
  subscriber_activity as materialized (
    select * from subscriber_activity where organization_id = $1 and subscriber_id = $2)`;
