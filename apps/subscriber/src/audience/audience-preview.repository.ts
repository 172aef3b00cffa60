import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { WriteCondition } from '../filter/filter-engine.service.js';
import { exclusionReason, mayReceive } from './audience.repository.js';

const domainsMax = 20;

export interface AudiencePreview {
  total: number;
  excluded: Record<string, number>;
  domains: { domain: string; count: number }[];
  domainTotal: number;
}

export interface ExcludedSubscriber {
  reason: string;
  subscriberId: string;
  email: string;
}

export class AudiencePreviewRepository {
  constructor(private readonly sql: Sql) {}

  async count(organizationId: string, where: WriteCondition): Promise<AudiencePreview> {
    const params: unknown[] = [uuidOf('org', organizationId)];
    const condition = where(params);
    const rows: {
      total: number;
      excluded: Record<string, number>;
      domains: AudiencePreview['domains'] | null;
      domain_total: number;
    }[] = await this.sql.query(
      `with matching as materialized (
           select case when not (${mayReceive}) then ${exclusionReason} end as reason,
             case when ${mayReceive} then split_part(s.email_key, '@', -1) end as domain, count(*)::int as n
           from subscriber s ${condition.join} where s.organization_id = $1 and ${condition.text} group by 1, 2)
         select (select coalesce(sum(n), 0)::int from matching where reason is null) as total,
           (select coalesce(jsonb_object_agg(reason, n), '{}') from matching where reason is not null) as excluded,
           (select jsonb_agg(to_jsonb(d)) from (
             select domain, n as count from matching where reason is null order by n desc, domain limit ${domainsMax}) d) as domains,
           (select count(*)::int from matching where reason is null) as domain_total`,
      params,
    );
    const { total, excluded, domains, domain_total: domainTotal } = rows[0]!;
    return { total, excluded, domains: domains ?? [], domainTotal };
  }

  async listExcluded(organizationId: string, where: WriteCondition, limit: number): Promise<ExcludedSubscriber[]> {
    const params: unknown[] = [uuidOf('org', organizationId), limit];
    const condition = where(params);
    const rows: { reason: string; subscriber_id: string; email: string }[] = await this.sql.query(
      `select reason, subscriber_id, email from (
         select x.*, row_number() over (partition by reason order by subscriber_id desc) as place from (
           select ${exclusionReason} as reason, s.subscriber_id, s.email
           from subscriber s ${condition.join} where s.organization_id = $1 and not (${mayReceive}) and ${condition.text}) x) y
       where place <= $2 order by reason, subscriber_id desc`,
      params,
    );
    return rows.map((row) => ({
      reason: row.reason,
      subscriberId: wireId('sub', row.subscriber_id),
      email: row.email,
    }));
  }
}
