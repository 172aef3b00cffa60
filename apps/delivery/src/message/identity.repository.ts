import { wireId } from '#database';
import type { MessageIdentity } from './message.js';

export const identityColumns =
  'm.organization_id, m.message_id, m.send_id, m.page_no, m.subscriber_id, s.campaign_id, s.campaign_name, m.subject, m.email';

export interface IdentityRow {
  organization_id: string;
  message_id: string;
  send_id: string | null;
  page_no: number | null;
  subscriber_id: string | null;
  campaign_id: string | null;
  campaign_name: string | null;
  subject: string;
  email: string;
}

export const identityOf = (row: IdentityRow): MessageIdentity => ({
  organizationId: wireId('org', row.organization_id),
  messageId: wireId('msg', row.message_id),
  sendId: row.send_id && wireId('send', row.send_id),
  pageNo: row.page_no,
  subscriberId: row.subscriber_id && wireId('sub', row.subscriber_id),
  campaignId: row.campaign_id && wireId('cmp', row.campaign_id),
  campaignName: row.campaign_name,
  subject: row.subject,
  email: row.email,
});
