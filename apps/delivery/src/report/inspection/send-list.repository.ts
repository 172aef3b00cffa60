import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { SendState } from '../../send/send.js';

export interface ListedSend {
  sendId: string;
  campaignId: string;
  campaignName: string;
  state: SendState;
  total: number;
  startedAt: string;
  finishedAt: string | null;
}

interface Row {
  send_id: string;
  campaign_id: string;
  campaign_name: string;
  state: SendState;
  total: number;
  started_at: Date;
  finished_at: Date | null;
}

/** SQL: a send of a campaign; emails of workflows are sends without chunks. */
const ofCampaign = 's.pages > 0';

export class SendListRepository {
  constructor(private readonly sql: Sql) {}

  async list(
    organizationId: string,
    { state, cursor, limit }: { state: SendState | null; cursor: string | null; limit: number },
  ): Promise<ListedSend[]> {
    const rows: Row[] = await this.sql.query(
      `select s.send_id, s.campaign_id, s.campaign_name, s.state, s.total, s.started_at, s.finished_at from send s
       where s.organization_id = $1 and ${ofCampaign} and ($2::text is null or s.state = $2) and ($3::uuid is null or s.send_id < $3)
       order by s.send_id desc limit $4`,
      [uuidOf('org', organizationId), state, cursor && uuidOf('send', cursor), limit],
    );
    return rows.map((row) => ({
      sendId: wireId('send', row.send_id),
      campaignId: wireId('cmp', row.campaign_id),
      campaignName: row.campaign_name,
      state: row.state,
      total: row.total,
      startedAt: row.started_at.toISOString(),
      finishedAt: row.finished_at?.toISOString() ?? null,
    }));
  }

  /** Finds a send by its id or the newest send of a campaign. @returns null for an unknown one */
  async find(
    organizationId: string,
    { sendId, campaignId }: { sendId: string | null; campaignId: string | null },
  ): Promise<{ sendId: string; campaignId: string; campaignName: string } | null> {
    const rows: Pick<Row, 'send_id' | 'campaign_id' | 'campaign_name'>[] = await this.sql.query(
      `select s.send_id, s.campaign_id, s.campaign_name from send s
       where s.organization_id = $1 and ${ofCampaign} and case when $2::uuid is null then s.campaign_id = $3 else s.send_id = $2 end
       order by s.send_id desc limit 1`,
      [uuidOf('org', organizationId), sendId && uuidOf('send', sendId), campaignId && uuidOf('cmp', campaignId)],
    );
    const row = rows[0];
    return row
      ? {
          sendId: wireId('send', row.send_id),
          campaignId: wireId('cmp', row.campaign_id),
          campaignName: row.campaign_name,
        }
      : null;
  }

  /** Returns until when the relay takes no mail, and why; null while it does. */
  async findRelayBackoff(): Promise<{ until: Date; reason: string } | null> {
    const rows: { until: Date; reason: string }[] = await this.sql.query(
      `select backoff_until as until, reason from destination where name = 'relay' and backoff_until > clock_timestamp()`,
    );
    return rows[0] ?? null;
  }
}
