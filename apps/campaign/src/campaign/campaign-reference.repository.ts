import { campaignStatuses } from '#contracts';
import type { campaignRequests, Data, Named, NamesAsked } from '#contracts';
import { NamedRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';

interface Row {
  campaign_id: string;
  name: string;
}
const namedOf = ({ campaign_id, name }: Row): Named => ({ id: wireId('cmp', campaign_id), name });

export class CampaignReferenceRepository {
  constructor(private readonly sql: Sql) {}

  /** Unknown campaigns are left out. */
  listNamed(organizationId: string, asked: NamesAsked): Promise<Named[]> {
    return new NamedRepository(this.sql, { table: 'campaign', prefix: 'cmp' }).list(organizationId, asked);
  }

  /**
   * Lists scheduled and sending campaigns that name one of these references in filters or blocks (`tag:tag_…`), or as
   * their sender (`sender:snd_…`).
   */
  async listLiveNaming(organizationId: string, references: readonly string[]): Promise<Named[]> {
    const rows: Row[] = await this.sql.query(
      `select campaign_id, name from campaign where organization_id = $1 and status in ('SCHEDULED', 'SENDING')
         and (filter_references && $2::text[] or content_references && $2::text[] or sender_id = any($3::uuid[]))
       order by campaign_id`,
      [
        uuidOf('org', organizationId),
        references,
        references.flatMap((reference) => uuidOf('snd', reference.replace(/^sender:/, '')) ?? []),
      ],
    );
    return rows.map(namedOf);
  }

  async getTotals(organizationId: string): Promise<Data<(typeof campaignRequests)['calls']['get_campaign_totals']>> {
    const rows: { by_status: Record<string, number>; sent: number; opens: number; clicks: number; snippets: number }[] =
      await this.sql.query(
        `with per_campaign as (
           select sum(sent) as sent, sum(unique_opens) / nullif(sum(delivered), 0) as opens, sum(unique_clicks) / nullif(sum(delivered), 0) as clicks
           -- Emails of workflows are counted there too, and are no campaigns.
           from campaign_stat s where organization_id = $1 and exists (
             select from campaign c where c.organization_id = $1 and c.campaign_id = s.campaign_id) group by campaign_id)
         select (select coalesce(jsonb_object_agg(status, n), '{}') from (
             select status, count(*) as n from campaign where organization_id = $1 group by 1) c) as by_status,
           (select count(*)::int from snippet where organization_id = $1) as snippets,
           coalesce(sum(sent), 0)::float8 as sent, coalesce(round(avg(opens), 4), 0)::float8 as opens,
           coalesce(round(avg(clicks), 4), 0)::float8 as clicks from per_campaign`,
        [uuidOf('org', organizationId)],
      );
    const { by_status: counted, sent, opens, clicks, snippets } = rows[0]!;
    const byStatus = Object.fromEntries(campaignStatuses.map((status) => [status, counted[status] ?? 0]));
    const total = Object.values(byStatus).reduce((sum, n) => sum + n, 0);
    return { campaigns: { total, byStatus, sent, averageOpenRate: opens, averageClickRate: clicks }, snippets };
  }
}
