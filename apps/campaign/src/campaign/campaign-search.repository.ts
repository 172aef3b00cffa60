import { uuidOf } from '#database';
import type { Sql } from '#database';
import { literalInPattern } from '#tool-call';
import type { Campaign, CampaignStatus } from './campaign.js';
import { campaignColumns, campaignOf } from './campaign.repository.js';
import type { CampaignRow } from './campaign.repository.js';
import type { CampaignSearch, SearchPlace } from './campaign-search.js';

export interface FoundCampaign {
  campaign: Campaign;
  recipientCount: number | null;
  results: Record<(typeof resultNames)[number], number>;
  sortValue: string;
}

const resultNames = ['sent', 'delivered', 'opened', 'clicked', 'unsubscribed', 'bounced', 'complained'] as const;

type Row = CampaignRow & Record<(typeof resultNames)[number], number> & { recipient_count: number | null; key: string };

/** SQL: the value that each sort compares, and its type; missing instants and numbers come last in either order. */
const sorts: Record<
  CampaignSearch['sort'],
  { key: (last: string) => string; type: string; last: Record<CampaignSearch['order'], string> }
> = (() => {
  const instant = (column: string) => ({
    key: (last: string) => `coalesce(c.${column}, '${last}')`,
    type: 'timestamptz',
    last: { ASC: 'infinity', DESC: '-infinity' },
  });
  const none = { ASC: '', DESC: '' };
  const number = (column: string) => ({ key: () => `n.${column}`, type: 'float8', last: none });
  return {
    createdAt: { key: () => 'c.campaign_id', type: 'uuid', last: none },
    updatedAt: instant('updated_at'),
    scheduledAt: instant('scheduled_at'),
    startedAt: instant('started_at'),
    name: { key: () => 'lower(c.name)', type: 'text', last: none },
    sent: number('sent'),
    opened: number('opened'),
  };
})();

/** Soft bounces may be negative for a moment: the event of a retry can arrive before those of the bounces. */
const numbers = `lateral (
  select coalesce(sum(sent), 0)::float8 as sent, greatest(0, coalesce(sum(delivered), 0))::float8 as delivered,
    coalesce(sum(unique_opens), 0)::float8 as opened, coalesce(sum(unique_clicks), 0)::float8 as clicked,
    coalesce(sum(unsubscribed), 0)::float8 as unsubscribed,
    (coalesce(sum(hard), 0) + greatest(0, coalesce(sum(soft), 0)))::float8 as bounced, coalesce(sum(complained), 0)::float8 as complained
  from campaign_stat t where t.organization_id = c.organization_id and t.campaign_id = c.campaign_id) n`;

/** Conditions on name and subject: the pattern uses the index, position() excludes matches across the two. */
const matchesQuery = `($2::text is null or lower(c.name || ' ' || c.subject) like lower($3)
  and (position(lower($2) in lower(c.name)) > 0 or position(lower($2) in lower(c.subject)) > 0))`;

export class CampaignSearchRepository {
  constructor(private readonly sql: Sql) {}

  /** Returns the campaigns after `place`, one more than the limit if there are more. */
  async list(organizationId: string, search: CampaignSearch, place: SearchPlace | null): Promise<FoundCampaign[]> {
    const { key, type, last } = sorts[search.sort];
    const value = key(last[search.order]);
    const [direction, sign] = search.order === 'ASC' ? ['asc', '>'] : ['desc', '<'];
    const rows: Row[] = await this.sql.query(
      `select ${campaignColumns}, c.recipient_count, n.*, (${value})::text as key
       from campaign c cross join ${numbers}
       where c.organization_id = $1 and ${matchesQuery} and c.status = any($4)
         and ($5::text is null or (${value}, c.campaign_id) ${sign} ($5::text::${type}, $6::uuid))
       order by ${value} ${direction}, c.campaign_id ${direction} limit $7`,
      [
        ...queryParameters(organizationId, search),
        statusesOf(search),
        place?.value ?? null,
        place && uuidOf('cmp', place.id),
        search.limit + 1,
      ],
    );
    return rows.map((row) => ({
      campaign: campaignOf(row),
      recipientCount: row.recipient_count,
      results: Object.fromEntries(resultNames.map((name) => [name, row[name]])) as FoundCampaign['results'],
      sortValue: row.key,
    }));
  }

  async count(organizationId: string, search: CampaignSearch): Promise<Partial<Record<CampaignStatus, number>>> {
    const rows: { status: CampaignStatus; n: number }[] = await this.sql.query(
      `select c.status, count(*)::int as n from campaign c where c.organization_id = $1 and ${matchesQuery} group by 1`,
      queryParameters(organizationId, search),
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  }
}

export const statusesOf = ({ statuses }: CampaignSearch): readonly CampaignStatus[] =>
  statuses ?? ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'FAILED'];

function queryParameters(organizationId: string, { query }: CampaignSearch): unknown[] {
  const text = query?.replaceAll('\0', '').trim() || null;
  return [uuidOf('org', organizationId), text, text && `%${literalInPattern(text)}%`];
}
