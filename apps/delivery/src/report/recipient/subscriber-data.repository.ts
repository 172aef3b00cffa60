import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { subjectColumns, subjectOf } from '../../message/identity.repository.js';
import type { SubjectRow } from '../../message/identity.repository.js';
import { mailOfSubscriber, mailParameters } from '../../message/subscriber-mail.repository.js';
import type { SubscriberMail } from '../../message/subscriber-mail.repository.js';

interface Row extends SubjectRow {
  message_id: string;
  campaign_id: string | null;
  email: string;
  record: Record<string, unknown>;
}

export class SubscriberDataRepository {
  constructor(private readonly sql: Sql) {}

  async list(
    organizationId: string,
    mail: SubscriberMail,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ id: string; [field: string]: unknown }[]> {
    const rows: Row[] = await this.sql.query(
      `select m.message_id, s.campaign_id, m.email, ${subjectColumns}, jsonb_build_object('kind', m.kind, 'email', m.email,
         'campaignName', s.campaign_name, 'state', m.state, 'skipReason', m.skip_reason, 'reply', m.response, 'tags', m.tags,
         'acceptedByRelayAt', m.accepted_at, 'deliveredAt', m.delivered_at, 'firstOpenedAt', m.first_opened_at,
         'firstClickedAt', m.first_clicked_at, 'opens', m.opens, 'clicks', m.clicks) as record
       from (${mailOfSubscriber('($5::uuid is null or m.message_id > $5)', 'm.message_id limit $6')}) m
       left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
       order by m.message_id limit $6`,
      [...mailParameters(organizationId, mail), after && uuidOf('msg', after), limit],
    );
    return rows.map((row) => ({
      id: wireId('msg', row.message_id),
      ...(row.campaign_id && { campaignId: wireId('cmp', row.campaign_id) }),
      ...row.record,
      subject: subjectOf(row),
    }));
  }
}
