import type { Filter, PageRecipient, SubscriberStatus } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { activityLookup } from '../filter/filter-compiler.js';
import type { Condition } from '../filter/filter-compiler.js';
import type { WriteCondition } from '../filter/filter-engine.service.js';
import { ToolError } from '#tool-call';
import { mergeValues } from './audience.js';

/** 500 a page: what one request carries and one worker holds at a time. */
const pageSize = 500;
const heldDays = 7;

/** SQL: subscribers that may receive marketing mail; a suppression entry excludes them in every status. */
export const mayReceive = `s.status = 'SUBSCRIBED' and s.banned_at is null and s.hard_bounced_at is null and s.complained_at is null`;

export const exclusionReason = `case when s.banned_at is not null then 'BANNED' when s.complained_at is not null then 'COMPLAINED'
  when s.hard_bounced_at is not null then 'BOUNCED' else s.status end`;

export interface Audience {
  total: number;
  pages: number;
  excluded: Record<string, number>;
}

interface RecipientRow {
  id: string;
  email: string;
  status: SubscriberStatus | null;
  suppressed: PageRecipient['suppressed'];
  name: string | null;
  phone: string | null;
  custom: Record<string, string> | null;
  fields: Record<string, readonly string[]> | null;
  shows: boolean[] | null;
  /** Whether the values up to this row have more bytes than an answer may. */
  beyond?: boolean;
}

export type FieldNames = ReadonlyMap<string, readonly string[]>;

/** Maximum bytes of values in one answer; the caller then asks for parts of the page. */
const valuesMax = 4_000_000;

/** SQL: no values from the row on by which they have more bytes than an answer may. */
const bytesSoFar = 'sum(octet_length(c.custom::text)) over (order by u.place rows unbounded preceding)';
const boundedCustom =
  `case when coalesce(${bytesSoFar}, 0) <= ${valuesMax} then c.custom end as custom, ` +
  `coalesce(${bytesSoFar}, 0) > ${valuesMax} as beyond`;

/** SQL: the values of these fields alone; null: of all. */
function customSql(keys: readonly string[] | null, params: unknown[]): string {
  if (keys === null) return 's.custom';
  if (keys.length === 0) return `'{}'::jsonb`;
  params.push(keys);
  return `(select coalesce(jsonb_object_agg(k, s.custom -> k), '{}') from unnest($${params.length}::text[]) k where s.custom ? k)`;
}

export class AudienceRepository {
  constructor(private readonly sql: Sql) {}

  async countRecipients(organizationId: string, where: WriteCondition): Promise<number> {
    const params: unknown[] = [uuidOf('org', organizationId)];
    const condition = where(params);
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from subscriber s ${condition.join}
       where s.organization_id = $1 and ${mayReceive} and ${condition.text}`,
      params,
    );
    return rows[0]!.n;
  }

  /** Reserves the id of a new audience. @returns false when it exists already: two callers never freeze twice */
  async insert(audience: {
    organizationId: string;
    audienceId: string;
    purpose: string;
    filters: readonly Filter[];
    now: Date;
  }): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `insert into audience (organization_id, audience_id, purpose, filters, total, excluded, pages, created_at)
       values ($1, $2, $3, $4, 0, '{}', 0, $5) on conflict do nothing returning 1`,
      [
        uuidOf('org', audience.organizationId),
        uuidOf('aud', audience.audienceId),
        audience.purpose,
        JSON.stringify(audience.filters),
        audience.now,
      ],
    );
    return rows.length > 0;
  }

  async find(organizationId: string, audienceId: string): Promise<Audience | null> {
    const rows: Audience[] = await this.sql.query(
      `select total, pages, excluded from audience where organization_id = $1 and audience_id = $2`,
      [uuidOf('org', organizationId), uuidOf('aud', audienceId)],
    );
    return rows[0] ?? null;
  }

  /** One statement on one snapshot decides its members and the excluded ones, with reasons. */
  async freeze(organizationId: string, audienceId: string, where: WriteCondition): Promise<Audience> {
    // A large audience takes longer than a statement of a tool may.
    await this.sql.query(`set local statement_timeout = '10min'`);
    const params: unknown[] = [uuidOf('org', organizationId), uuidOf('aud', audienceId)];
    const condition = where(params);
    const matching = `from subscriber s ${condition.join} where s.organization_id = $1 and ${condition.text}`;
    const [rows]: [Audience[]] = await this.sql.query(
      `with page as (
         insert into audience_page (organization_id, audience_id, page_no, subscriber_ids, emails)
         select $1, $2, page_no, array_agg(subscriber_id order by subscriber_id), array_agg(email order by subscriber_id)
         from (select s.subscriber_id, s.email, (row_number() over (order by s.subscriber_id) - 1) / ${pageSize} as page_no
               ${matching} and ${mayReceive}) r
         group by page_no returning cardinality(subscriber_ids) as size),
       left_out as (
         select coalesce(jsonb_object_agg(reason, n), '{}') as reasons from (
           select ${exclusionReason} as reason, count(*) as n
           ${matching} and not (${mayReceive}) group by 1) r)
       update audience set (total, pages) = (select coalesce(sum(size), 0), count(*) from page), excluded = (select reasons from left_out)
       where organization_id = $1 and audience_id = $2 returning total, pages, excluded`,
      params,
    );
    return rows[0]!;
  }

  /** Lists the recipients of a page in its order, with current data; none when the page or the audience is released. */
  async listPage(
    organizationId: string,
    page: { audienceId: string; pageNumber: number; places?: { from: number; count: number } | undefined },
    { shows, fields }: { shows: readonly WriteCondition[]; fields: FieldNames | null },
  ): Promise<PageRecipient[]> {
    const { from, count } = page.places ?? { from: 0, count: pageSize };
    const params: unknown[] = [uuidOf('org', organizationId), uuidOf('aud', page.audienceId), page.pageNumber];
    params.push(from, from + count);
    const rows: RecipientRow[] = await this.sql.query(
      recipientSql(
        {
          from: `audience_page p cross join unnest(p.subscriber_ids, p.emails) with ordinality u(id, email, place)`,
          where: `where p.organization_id = $1 and p.audience_id = $2 and p.page_no = $3 and u.place > $4 and u.place <= $5
            order by u.place`,
          custom: customSql(fields && [...fields.keys()], params),
          bounded: true,
        },
        shows.map((show) => show(params)),
      ),
      params,
    );
    if (rows.some(({ beyond }) => beyond)) throw new ToolError('RESULT_TOO_LARGE', { bytesMax: valuesMax });
    return recipientsOf(rows, fields);
  }

  async findRecipient(
    organizationId: string,
    subscriberId: string,
    shows: readonly WriteCondition[],
  ): Promise<PageRecipient | null> {
    const params: unknown[] = [uuidOf('org', organizationId), uuidOf('sub', subscriberId)];
    const rows: RecipientRow[] = await this.sql.query(
      recipientSql(
        {
          from: `(select subscriber_id as id, email, 1 as place from subscriber where organization_id = $1 and subscriber_id = $2) u`,
          where: '',
          custom: 's.custom',
        },
        shows.map((show) => show(params)),
      ),
      params,
    );
    return recipientsOf(rows, null)[0] ?? null;
  }

  /**
   * Lists subscribers as recipients, with values of custom fields by the fields' uuids; deleted subscribers are left
   * out.
   */
  async listPeople(
    organizationId: string,
    { subscriberIds, fieldKeys }: { subscriberIds: readonly string[]; fieldKeys: readonly (string | null)[] },
    shows: readonly WriteCondition[],
  ): Promise<(Omit<PageRecipient, 'values'> & { fields: (string | null)[] })[]> {
    const params: unknown[] = [uuidOf('org', organizationId), subscriberIds.map((id) => uuidOf('sub', id))];
    const keys = fieldKeys.filter((key) => key !== null);
    const rows: RecipientRow[] = await this.sql.query(
      recipientSql(
        {
          from: `(select subscriber_id as id, email, 0 as place from subscriber where organization_id = $1 and subscriber_id = any($2::uuid[])) u`,
          where: '',
          custom: customSql(keys, params),
        },
        shows.map((show) => show(params)),
      ),
      params,
    );
    const fields = (row: RecipientRow) => fieldKeys.map((key) => (key === null ? null : (row.custom?.[key] ?? null)));
    return recipientsOf(rows, new Map()).map(({ values: _values, ...person }, i) => ({
      ...person,
      fields: fields(rows[i]!),
    }));
  }

  /**
   * Removes the addresses of subscribers that were deleted during the freeze from the audience's pages. The caller
   * blocks deletions, so that a later one sees the pages.
   */
  async eraseFormer(organizationId: string, audienceId: string): Promise<void> {
    await this.sql.query(
      `with former as materialized (
         select subscriber_id from former_subscriber
         where organization_id = $1 and deleted_at > clock_timestamp() - interval '1 hour')
       update audience_page p set emails = array(
         select case when id in (select subscriber_id from former) then '' else email end
         from unnest(p.subscriber_ids, p.emails) with ordinality u(id, email, place) order by place)
       where organization_id = $1 and audience_id = $2
         and exists (select from former where subscriber_id = any(p.subscriber_ids))`,
      [uuidOf('org', organizationId), uuidOf('aud', audienceId)],
    );
  }

  /** Deletes the pages of an audience, and its filters, which may name an address; idempotent. */
  async release(organizationId: string, audienceId: string): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('aud', audienceId)];
    await this.sql.query(`delete from audience_page where organization_id = $1 and audience_id = $2`, key);
    await this.sql.query(
      `update audience set released_at = clock_timestamp(), filters = '[]'
       where organization_id = $1 and audience_id = $2 and released_at is null`,
      key,
    );
  }

  /**
   * Releases up to 100 audiences that enrolments left behind; those of campaigns are released with their send. @returns
   * how many
   */
  async releaseOld(): Promise<number> {
    const rows: { organization_id: string; audience_id: string }[] = await this.sql.query(
      `select organization_id, audience_id from audience where released_at is null and purpose <> 'SEND'
         and created_at < clock_timestamp() - interval '${heldDays} days' order by created_at limit 100`,
    );
    for (const row of rows) await this.release(wireId('org', row.organization_id), wireId('aud', row.audience_id));
    return rows.length;
  }
}

/**
 * Each condition is a query of its own, so that it looks up the page's subscribers instead of collecting all that meet
 * it. Names of custom fields are sent once, with the first row.
 */
function recipientSql(
  { from, where, custom, bounded = false }: { from: string; where: string; custom: string; bounded?: boolean },
  shows: Condition[],
): string {
  const flags = shows.map(({ text }) => `coalesce((select ${text}), false)`).join(', ');
  return `select u.id, u.email, s.status, s.name, s.phone, ${bounded ? boundedCustom : 'c.custom'},
      case when s.banned_at is not null then 'BANNED' when s.complained_at is not null then 'COMPLAINED'
        when s.hard_bounced_at is not null then 'BOUNCED' end as suppressed,
      case when u.place = 1 then (select jsonb_object_agg(field_id, former_names || name) from custom_field
        where organization_id = $1 and deleted_at is null) end as fields,
      ${shows.length > 0 ? `array[${flags}]` : 'null'} as shows
    from ${from}
    left join subscriber s on s.organization_id = $1 and s.subscriber_id = u.id
    cross join lateral (select ${custom} as custom offset 0) c
    ${shows.some(({ join }) => join) ? activityLookup : ''} ${where}`;
}

function recipientsOf(rows: RecipientRow[], fields: FieldNames | null): PageRecipient[] {
  const names = fields ? Object.fromEntries(fields) : (rows[0]?.fields ?? {});
  return rows.map((row) => ({
    subscriberId: wireId('sub', row.id),
    email: row.email,
    status: row.status,
    suppressed: row.suppressed,
    values: row.status === null ? {} : mergeValues(row, names),
    shows: row.shows ?? [],
  }));
}
