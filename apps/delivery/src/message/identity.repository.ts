import { wireId } from '#database';
import type { MessageIdentity } from './message.js';
import { subjectText } from './subject.js';
import type { SubjectSegments } from './subject.js';

const sendColumns = 's.campaign_id, s.campaign_name';
/** SQL: a message of the ledger has its subject in the template of its send, which is large. */
const segments = `coalesce(s.subject, s.template -> 'subject')`;

/** SQL: `m` is a row of `message`, `s` its send or null. */
export const identityColumns = `m.organization_id, m.message_id, m.send_id, m.page_no, m.subscriber_id, ${sendColumns}, m.subject, m.email,
  null::jsonb as subject_values, null::jsonb as subject_segments`;

/** SQL: the same of `m`, a row of `campaign_message`, and `s`, its send. */
export const ledgerIdentityColumns = `m.organization_id, m.message_id, s.send_id, chunk_of_message(m.message_id) as page_no, m.subscriber_id,
  ${sendColumns}, null::text as subject, m.email, m.subject_values, ${segments} as subject_segments`;

/** SQL: joins the send of `m`, a row of `campaign_message`. */
export const ledgerSend =
  'send s on s.organization_id = m.organization_id and s.send_id = send_of_message(m.message_id)';

/** SQL: the subject of `m`, a row of `any_message`, and `s`, its send or null; read it by `subjectOf`. */
export const subjectColumns = `m.subject, m.subject_values, case when m.layout = 1 then ${segments} end as subject_segments`;

export interface SubjectRow {
  /** Null in the ledger. */
  subject: string | null;
  subject_values: string[] | null;
  subject_segments: SubjectSegments | null;
}

export interface IdentityRow extends SubjectRow {
  organization_id: string;
  message_id: string;
  send_id: string | null;
  page_no: number | null;
  subscriber_id: string | null;
  campaign_id: string | null;
  campaign_name: string | null;
  email: string;
}

/** Returns the subject of a message; empty for an erased one. */
export const subjectOf = (row: SubjectRow & { email: string }): string =>
  row.subject ?? (row.email === '' ? '' : subjectText(row.subject_segments ?? [], row.subject_values));

export const identityOf = (row: IdentityRow): MessageIdentity => ({
  organizationId: wireId('org', row.organization_id),
  messageId: wireId('msg', row.message_id),
  sendId: row.send_id && wireId('send', row.send_id),
  pageNo: row.page_no,
  subscriberId: row.subscriber_id && wireId('sub', row.subscriber_id),
  campaignId: row.campaign_id && wireId('cmp', row.campaign_id),
  campaignName: row.campaign_name,
  subject: subjectOf(row),
  email: row.email,
});
