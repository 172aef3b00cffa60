import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

type Json = Record<string, unknown>;

export class SubscriberDataRepository {
  constructor(private readonly sql: Sql) {}

  /** The columns that no view of a subscriber shows: consent, suppressions and counters. @returns null for an unknown one */
  async findRecord(organizationId: string, subscriberId: string): Promise<Json | null> {
    const rows: { record: Json }[] = await this.sql.query(
      `select jsonb_build_object('country', s.country, 'ipAddress', s.ip, 'statusAt', s.status_at, 'statusReason', s.status_reason,
         'bannedAt', s.banned_at, 'hardBouncedAt', s.hard_bounced_at, 'bounceCategory', s.bounce_category,
         'complainedAt', s.complained_at, 'confirmationSentAt', s.confirmation_sent_at, 'confirmedAt', s.confirmed_at,
         'confirmedIp', s.confirmed_ip, 'confirmedUserAgent', s.confirmed_agent, 'optedInAt', s.opted_in_at,
         'reactivatedAt', s.reactivated_at, 'addressSince', s.address_at, 'lastEmailedAt', a.last_emailed_at,
         'lastOpenedAt', a.last_opened_at, 'lastClickedAt', a.last_clicked_at) as record
       from subscriber s left join subscriber_activity a
         on a.organization_id = s.organization_id and a.subscriber_id = s.subscriber_id
       where s.organization_id = $1 and s.subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    return rows[0]?.record ?? null;
  }

  async listCampaigns(
    organizationId: string,
    subscriberId: string,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ id: string; [field: string]: unknown }[]> {
    const rows: { campaign_id: string; record: Json }[] = await this.sql.query(
      `select campaign_id, jsonb_build_object('sentAt', max(sent_at), 'openedAt', min(opened_at), 'lastOpenedAt', max(last_opened_at),
         'clickedAt', min(clicked_at), 'lastClickedAt', max(last_clicked_at), 'bouncedAt', max(bounced_at)) as record
       from (${['subscriber_campaign', 'recipient_campaign']
         .map(
           (
             table,
           ) => `select campaign_id, sent_at, opened_at, last_opened_at, clicked_at, last_clicked_at, bounced_at from ${table}
             where organization_id = $1 and subscriber_id = $2 and ($3::uuid is null or campaign_id > $3)`,
         )
         .join(' union all ')}) c
       group by campaign_id order by campaign_id limit $4`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), after && uuidOf('cmp', after), limit],
    );
    return rows.map(({ campaign_id, record }) => ({ id: wireId('cmp', campaign_id), ...record }));
  }
}
