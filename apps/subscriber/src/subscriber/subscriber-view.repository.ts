import { subscriberStatuses } from '#contracts';
import type { SubscriberStatus } from '#contracts';
import { createdAtOf, messageIdSql, TallyRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { activityJoin, activityLookup } from '../filter/filter-compiler.js';
import type { WriteCondition } from '../filter/filter-engine.service.js';
import type { Tag } from '../tag/tag.js';
import { taggedMetric } from '../tag/tag.repository.js';
import { literalInPattern } from '../text/text.js';
import { statusMetric } from './subscriber-change.service.js';
import { addressOf } from './profile.js';

export interface SubscriberView {
  id: string;
  email: string;
  name: string | null;
  phone: string | null;
  status: SubscriberStatus;
  createdAt: string;
  updatedAt: string;
  tags: Tag[];
  customFields: Record<string, string>;
  revenue: number;
  emailCount: number;
  openCount: number;
  clickCount: number;
}

export interface SubscriberRef {
  subscriberId?: string | undefined;
  email?: string | undefined;
}

/** What narrows a list; null or an empty list narrows nothing. */
export interface Selection {
  status: SubscriberStatus | null;
  tagId: string | null;
  query: string | null;
  where: WriteCondition | null;
}

export interface PlaceInList {
  /** The id of the last subscriber of the page before, or the key of its address; it need not exist any more. */
  after: string | null;
  limit: number;
  /** Default: the newest first. */
  sort?: 'createdAt' | 'email';
  order?: 'ASC' | 'DESC';
}

export interface Total {
  total: number;
  totalIsMinimum?: true;
}

export type SubscriberRecord = Pick<
  SubscriberView,
  'id' | 'email' | 'name' | 'phone' | 'status' | 'customFields' | 'createdAt'
> & {
  /** Names. */
  tags: readonly string[];
};

type RecordRow = Pick<ViewRow, 'subscriber_id' | 'email' | 'name' | 'phone' | 'status' | 'custom_fields'> & {
  tags: string[];
};

interface ViewRow {
  subscriber_id: string;
  email: string;
  name: string | null;
  phone: string | null;
  status: SubscriberStatus;
  updated_at: Date;
  tags: { id: string; name: string }[];
  custom_fields: Record<string, string>;
  revenue: number;
  email_count: number;
  open_count: number;
  click_count: number;
}

/** Counting stops here: an exact total would cost more than it is worth. */
const countedMax = 10_000;

const customFields = `coalesce((select jsonb_object_agg(f.name, v.value) from jsonb_each_text(s.custom) v
    join custom_field f on f.organization_id = $1 and f.field_id = v.key::uuid and f.deleted_at is null), '{}') as custom_fields`;
const tagsOf = (aggregate: string) => `coalesce((select ${aggregate} from subscriber_tag st
    join tag t on t.organization_id = $1 and t.tag_id = st.tag_id and t.deleted_at is null
    where st.organization_id = $1 and st.subscriber_id = s.subscriber_id)`;
const ownColumns = 's.subscriber_id, s.email, s.name, s.phone, s.status';
const columns = `${ownColumns}, s.updated_at,
  coalesce(a.revenue, 0)::float8 as revenue, coalesce(a.email_count, 0) as email_count,
  coalesce(a.open_count, 0) as open_count, coalesce(a.click_count, 0) as click_count,
  ${tagsOf(`jsonb_agg(jsonb_build_object('id', t.tag_id, 'name', t.name) order by t.name_key)`)}, '[]') as tags, ${customFields}`;

const viewOf = (row: ViewRow): SubscriberView => ({
  id: wireId('sub', row.subscriber_id),
  email: row.email,
  name: row.name,
  phone: row.phone,
  status: row.status,
  createdAt: createdAtOf(row.subscriber_id).toISOString(),
  updatedAt: row.updated_at.toISOString(),
  tags: row.tags.map(({ id, name }) => ({ id: wireId('tag', id), name })),
  customFields: row.custom_fields,
  revenue: row.revenue,
  emailCount: row.email_count,
  openCount: row.open_count,
  clickCount: row.click_count,
});

const recordOf = (row: RecordRow): SubscriberRecord => ({
  id: wireId('sub', row.subscriber_id),
  email: row.email,
  name: row.name,
  phone: row.phone,
  status: row.status,
  tags: row.tags,
  customFields: row.custom_fields,
  createdAt: createdAtOf(row.subscriber_id).toISOString(),
});

export class SubscriberViewRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * The id of the subscriber that an id, an address, or both name.
   * @throws ToolError IDENTIFIER_MISSING, IDENTIFIERS_DISAGREE, SUBSCRIBER_NOT_FOUND
   */
  async getId(organizationId: string, who: SubscriberRef): Promise<string> {
    return (await this.identify(organizationId, who)).subscriberId;
  }

  /** `getId` with the present address. */
  async identify(
    organizationId: string,
    { subscriberId, email }: SubscriberRef,
  ): Promise<{ subscriberId: string; email: string }> {
    const names = ['subscriberId', 'email'];
    if (subscriberId === undefined && email === undefined) throw new ToolError('IDENTIFIER_MISSING', { names });
    const read = email === undefined ? null : addressOf(email);
    const key = read?.ok ? read.address.emailKey : null;
    const rows: { subscriber_id: string; email_key: string; email: string }[] = await this.sql.query(
      `select subscriber_id, email_key, email from subscriber where organization_id = $1 and subscriber_id = $2
       union select subscriber_id, email_key, email from subscriber where organization_id = $1 and email_key = $3`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), key],
    );
    if (!rows[0]) {
      const named = subscriberId === undefined ? { id: email!, by: 'email' } : { id: subscriberId };
      throw new ToolError('SUBSCRIBER_NOT_FOUND', named);
    }
    const agree = rows.length === 1 && (!read || rows[0].email_key === key);
    const id = wireId('sub', rows[0].subscriber_id);
    if (!agree || (subscriberId !== undefined && id !== subscriberId)) {
      throw new ToolError('IDENTIFIERS_DISAGREE', { names });
    }
    return { subscriberId: id, email: rows[0].email };
  }

  /** Lists the messages by position that the history of a subscriber names. */
  async listCampaignMessageIds(organizationId: string, subscriberId: string): Promise<string[]> {
    const rows: { message_id: string }[] = await this.sql.query(
      `select ${messageIdSql('r.send_id', 'c.position')} as message_id
       from campaign_recipient c join campaign_ref r on r.campaign_no = c.campaign_no
       where c.subscriber_id = $2 and r.organization_id = $1`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    return rows.map((row) => wireId('msg', row.message_id));
  }

  async find(organizationId: string, subscriberId: string): Promise<SubscriberView | null> {
    const rows: ViewRow[] = await this.sql.query(
      `select ${columns} from subscriber s ${activityLookup} where s.organization_id = $1 and s.subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    return rows[0] ? viewOf(rows[0]) : null;
  }

  /** @returns at most `limit` rows, and whether there are more */
  async list(
    organizationId: string,
    selection: Selection,
    { limit, ...page }: PlaceInList,
  ): Promise<{ subscribers: SubscriberView[]; more: boolean }> {
    const dressed = { columns, lookup: activityLookup };
    const { text, params } = await this.#pageOf(dressed, organizationId, selection, { limit, ...page });
    const rows: ViewRow[] = await this.sql.query(text, params);
    return { subscribers: rows.slice(0, limit).map(viewOf), more: rows.length > limit };
  }

  /**
   * Lists a page for a file, with less of each subscriber. A page comes as one text, because rows that arrive one by one grow
   * old while the last ones are waited for, and old objects stay in memory for long.
   */
  async listRecords(
    organizationId: string,
    selection: Selection,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ records: SubscriberRecord[]; more: boolean }> {
    const names = tagsOf('array_agg(t.name order by t.name_key)');
    const dressed = { columns: `${ownColumns}, ${names}, '{}') as tags, ${customFields}`, lookup: '' };
    const { text, params } = await this.#pageOf(dressed, organizationId, selection, { after, limit });
    const [page]: { rows: string | null }[] = await this.sql.query(
      `select json_agg(r)::text as rows from (${text}) r`,
      params,
    );
    const rows = JSON.parse(page!.rows ?? '[]') as RecordRow[];
    return { records: rows.slice(0, limit).map(recordOf), more: rows.length > limit };
  }

  /** The statement of a page, of one row more than asked for where there are more; only its rows are dressed. */
  async #pageOf(
    dressed: { columns: string; lookup: string },
    organizationId: string,
    selection: Selection,
    { after, limit, sort = 'createdAt', order = 'DESC' }: PlaceInList,
  ): Promise<{ text: string; params: unknown[] }> {
    const params: unknown[] = [uuidOf('org', organizationId)];
    const isNewestFirst = sort === 'createdAt' && order === 'DESC';
    const place = after === null ? undefined : `$${params.push(sort === 'email' ? after : uuidOf('sub', after))}`;
    const before = isNewestFirst ? place : undefined;
    const conditions = await this.#conditions(selection, params, { wanted: 'some', before });
    const key = `s.${sort === 'email' ? 'email_key' : 'subscriber_id'}`;
    const beyond = order === 'DESC' ? '<' : '>';
    if (place) conditions.push(`${key} ${beyond} ${place}`);
    if (place && selection.tagId && sort === 'createdAt') conditions.push(`held.subscriber_id ${beyond} ${place}`);
    const text = `select ${dressed.columns} from (
        select s.* from ${peopleOf(selection)} ${activityJoin} where ${conditions.join(' and ')}
        order by ${key} ${order.toLowerCase()} limit $${params.push(limit + 1)}) s
      ${dressed.lookup} order by ${key} ${order.toLowerCase()}`;
    return { text, params };
  }

  /** Exactly how many; from kept counts where nothing, one status or one tag narrows. */
  async count(organizationId: string, selection: Selection): Promise<number> {
    return (await this.#kept(organizationId, selection)) ?? (await this.#counted(organizationId, selection, null));
  }

  /** How many, exact where a count is kept, else counted to 10,000. */
  async countRoughly(organizationId: string, selection: Selection): Promise<Total> {
    const kept = await this.#kept(organizationId, selection);
    if (kept !== null) return { total: kept };
    const counted = await this.#counted(organizationId, selection, countedMax + 1);
    return counted > countedMax ? { total: countedMax, totalIsMinimum: true } : { total: counted };
  }

  async countByStatus(organizationId: string): Promise<Record<SubscriberStatus, number>> {
    const kept = await new TallyRepository(this.sql).listByKey(organizationId, statusMetric);
    const counts = subscriberStatuses.map((status) => [status, kept.get(status) ?? 0] as const);
    return Object.fromEntries(counts) as Record<SubscriberStatus, number>;
  }

  /** How many of a selection, in any status, have each status: exact where counts are kept, else of 10,000 at most. */
  async countByStatusRoughly(
    organizationId: string,
    selection: Omit<Selection, 'status'>,
  ): Promise<{ counts: Partial<Record<SubscriberStatus, number>>; countsAreMinimum?: true }> {
    const { query, tagId, where } = selection;
    if (!query && !tagId && !where) return { counts: await this.countByStatus(organizationId) };
    const params: unknown[] = [uuidOf('org', organizationId)];
    const conditions = await this.#conditions({ ...selection, status: null }, params, { wanted: 'some' });
    const rows: { status: SubscriberStatus; n: number }[] = await this.sql.query(
      `select status, count(*)::int as n from (
         select s.status from ${peopleOf({ ...selection, status: null })} ${activityJoin}
         where ${conditions.join(' and ')} limit ${countedMax}) r group by status`,
      params,
    );
    const counted = rows.reduce((sum, { n }) => sum + n, 0);
    return {
      counts: Object.fromEntries(rows.map(({ status, n }) => [status, n])),
      ...(counted === countedMax && { countsAreMinimum: true as const }),
    };
  }

  async #kept(organizationId: string, { status, tagId, query, where }: Selection): Promise<number | null> {
    if (query || where || (status && tagId)) return null;
    if (tagId) {
      const holders = await new TallyRepository(this.sql).listByKey(organizationId, taggedMetric);
      return holders.get(uuidOf('tag', tagId)!) ?? 0;
    }
    const byStatus = await this.countByStatus(organizationId);
    return status ? byStatus[status] : Object.values(byStatus).reduce((sum, n) => sum + n, 0);
  }

  async #counted(organizationId: string, selection: Selection, max: number | null): Promise<number> {
    const params: unknown[] = [uuidOf('org', organizationId)];
    const conditions = await this.#conditions(selection, params, { wanted: max === null ? 'all' : 'some' });
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from (
         select from ${peopleOf(selection)} ${activityJoin} where ${conditions.join(' and ')} ${max === null ? '' : `limit ${max}`}) r`,
      params,
    );
    return rows[0]!.n;
  }

  /**
   * @param params values of the conditions on `s`, the organization first
   * @param wanted whether all who match are read, or only the first ones
   * @param before parameter of the cursor
   */
  async #conditions(
    { status, tagId, query, where }: Selection,
    params: unknown[],
    { wanted, before }: { wanted: 'all' | 'some'; before?: string | undefined },
  ): Promise<string[]> {
    const conditions = ['s.organization_id = $1'];
    if (status) conditions.push(`s.status = $${params.push(status)}`);
    if (tagId) conditions.push(`held.organization_id = $1 and held.tag_id = $${params.push(uuidOf('tag', tagId))}`);
    if (query) conditions.push(await this.#textCondition(query, params, wanted));
    if (where) conditions.push(where(params, { before }).text);
    return conditions;
  }

  /**
   * The text index answers for address and name. Tags are matched by name first: mostly there are none. The holders of
   * few are taken by id; where there are many and some will do, a person is asked for them one by one: a page is full
   * soon.
   */
  async #textCondition(query: string, params: unknown[], wanted: 'all' | 'some'): Promise<string> {
    const pattern = `%${literalInPattern(query)}%`;
    const text = `lower(s.email || E'\\n' || coalesce(s.name, '')) like lower($${params.push(pattern)})`;
    const tags: { tag_id: string; holders: number }[] = await this.sql.query(
      `select t.tag_id, coalesce((select sum(n) from (
         select n from tally where organization_id = $1 and metric = $3 and key = t.tag_id::text
         union all select n from tally_delta where organization_id = $1 and metric = $3 and key = t.tag_id::text) c), 0)::float8 as holders
       from tag t where t.organization_id = $1 and t.deleted_at is null and lower(t.name) like lower($2)`,
      [params[0], pattern, taggedMetric],
    );
    if (tags.length === 0) return text;
    const ids = `$${params.push(tags.map(({ tag_id }) => tag_id))}`;
    const few = tags.reduce((sum, { holders }) => sum + holders, 0) <= countedMax;
    return `(${text} or ${few ? isOneOfHolders(ids) : holdsOneOf(ids, wanted === 'some' ? 'offset 0' : '')})`;
  }
}

/** With a tag, its holders in the order of their ids, which an index has for every selection. */
const peopleOf = ({ tagId }: Selection) =>
  tagId
    ? `subscriber_tag held join subscriber s on s.organization_id = held.organization_id and s.subscriber_id = held.subscriber_id`
    : 'subscriber s';
const isOneOfHolders = (tags: string) =>
  `s.subscriber_id = any(array(select subscriber_id from subscriber_tag where organization_id = $1 and tag_id = any(${tags}::uuid[])))`;
/** `offset 0` keeps the planner from gathering all holders first. */
const holdsOneOf = (tags: string, plan: '' | 'offset 0' = '') =>
  `exists (select from subscriber_tag st where st.organization_id = $1 and st.subscriber_id = s.subscriber_id and st.tag_id = any(${tags}::uuid[]) ${plan})`;
