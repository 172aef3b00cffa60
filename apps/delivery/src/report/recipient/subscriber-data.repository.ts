import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

interface Row {
  message_id: string;
  campaign_id: string | null;
  record: Record<string, unknown>;
}

export class SubscriberDataRepository {
  constructor(private readonly sql: Sql) {}

  async list(
    organizationId: string,
    subscriberId: string,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ id: string; [field: string]: unknown }[]> {
    const rows: Row[] = await this.sql.query(
      `select m.message_id, s.campaign_id, jsonb_build_object('kind', m.kind, 'email', m.email, 'subject', m.subject,
         'campaignName', s.campaign_name, 'state', m.state, 'skipReason', m.skip_reason, 'reply', m.response, 'tags', m.tags,
         'acceptedByRelayAt', m.accepted_at, 'deliveredAt', m.delivered_at, 'firstOpenedAt', m.first_opened_at,
         'firstClickedAt', m.first_clicked_at, 'opens', m.opens, 'clicks', m.clicks) as record
       from message m left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
       where m.organization_id = $1 and m.subscriber_id = $2 and ($3::uuid is null or m.message_id > $3)
       order by m.message_id limit $4`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), after && uuidOf('msg', after), limit],
    );
    return rows.map(({ message_id, campaign_id, record }) => ({
      id: wireId('msg', message_id),
      ...(campaign_id && { campaignId: wireId('cmp', campaign_id) }),
      ...record,
    }));
  }
}
