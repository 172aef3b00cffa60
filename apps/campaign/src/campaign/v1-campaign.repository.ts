import type { Args, campaignViewRequests } from '#contracts';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import { containsSql, searchParameters } from '../search/search.js';
import type { Campaign } from './campaign.js';
import { campaignColumns, campaignOf } from './campaign.repository.js';
import type { CampaignRow } from './campaign.repository.js';

type Asked = Args<(typeof campaignViewRequests)['calls']['list_campaign_views']>;

export interface CountedCampaign extends Campaign {
  /** Null before the send starts. */
  recipientCount: number | null;
  sent: number;
  opened: number;
  clicked: number;
}

type Row = CampaignRow & Record<'sent' | 'opened' | 'clicked', number> & { recipient_count: number | null };
const countedOf = (row: Row): CountedCampaign => ({
  ...campaignOf(row),
  recipientCount: row.recipient_count,
  sent: row.sent,
  opened: row.opened,
  clicked: row.clicked,
});

const columns = `${campaignColumns}, c.recipient_count, s.sent, s.opened, s.clicked`;
const numbers = `lateral (select coalesce(sum(sent), 0)::float8 as sent, coalesce(sum(unique_opens), 0)::float8 as opened,
  coalesce(sum(unique_clicks), 0)::float8 as clicked from campaign_stat n
  where n.organization_id = c.organization_id and n.campaign_id = c.campaign_id) s`;
const orders: Record<Asked['sortBy'], string> = {
  createdAt: 'campaign_id desc',
  updatedAt: 'updated_at desc, campaign_id desc',
  scheduledAt: 'scheduled_at desc nulls last, campaign_id desc',
  name: 'lower(name), campaign_id desc',
};

export class V1CampaignRepository {
  constructor(private readonly sql: Sql) {}

  async list(organizationId: string, asked: Asked): Promise<{ campaigns: CountedCampaign[]; total: number }> {
    const rows: (Row & { total: number; campaign_id: string | null })[] = await this.sql.query(
      `with matching as materialized (
         select campaign_id, row_number() over (order by ${orders[asked.sortBy]}) as place from campaign
         where organization_id = $1 and ($2 = 'ALL' or status = $2)
           and ${containsSql(['name', 'subject'], '$3', '$4')})
       select ${columns}, t.total from (select count(*)::int as total from matching) t
       left join (select * from matching order by place limit $5 offset $6) p on true
       left join campaign c on c.organization_id = $1 and c.campaign_id = p.campaign_id
       left join ${numbers} on true order by p.place`,
      [
        uuidOf('org', organizationId),
        asked.status,
        ...searchParameters(asked.query),
        asked.limit,
        (asked.page - 1) * asked.limit,
      ],
    );
    return { campaigns: rows.filter((row) => row.campaign_id).map(countedOf), total: rows[0]!.total };
  }

  /** @returns null for an unknown, malformed or another organization's id */
  async find(organizationId: string, campaignId: string): Promise<CountedCampaign | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from campaign c, ${numbers} where c.organization_id = $1 and c.campaign_id = $2`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId)],
    );
    return rows[0] ? countedOf(rows[0]) : null;
  }

  /** Deletes a DRAFT with its history. @returns false when the campaign is not a DRAFT at this moment */
  async delete(organizationId: string, campaignId: string): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `with gone as (delete from campaign where organization_id = $1 and campaign_id = $2 and status = 'DRAFT' returning campaign_id),
       history as (delete from campaign_history where organization_id = $1 and campaign_id in (select campaign_id from gone)),
       uses as (delete from snippet_use where organization_id = $1 and campaign_id in (select campaign_id from gone))
       select campaign_id from gone`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId)],
    );
    return rows.length > 0;
  }
}
