import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { jsonbText } from '../workflow/jsonb-text.js';
import type { OwnedEmail, WorkflowEmail } from './email.js';

interface Row {
  email_id: string;
  workflow_id: string;
  step_id: string;
  subject: string;
  preview: string | null;
  content: { value: unknown };
  content_type: WorkflowEmail['contentType'];
  sender_id: string | null;
  reply_to: string | null;
}

const columns = 'email_id, workflow_id, step_id, subject, preview, content, content_type, sender_id, reply_to';
const emailOf = (row: Row): OwnedEmail => ({
  id: wireId('cmp', row.email_id),
  workflowId: wireId('wf', row.workflow_id),
  stepId: row.step_id,
  subject: row.subject,
  preview: row.preview,
  content: row.content.value,
  contentType: row.content_type,
  senderId: row.sender_id && wireId('snd', row.sender_id),
  replyTo: row.reply_to,
});

/** The internal emails of drafts. */
export class EmailRepository {
  constructor(private readonly sql: Sql) {}

  /** The emails of a workflow's draft, by step. */
  async listOfWorkflow(organizationId: string, workflowId: string): Promise<OwnedEmail[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from workflow_email where organization_id = $1 and workflow_id = $2 order by step_id`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
    );
    return rows.map(emailOf);
  }

  /** Emails of any workflow of the organization; what does not exist is left out. */
  async listByIds(organizationId: string, ids: readonly string[]): Promise<OwnedEmail[]> {
    if (ids.length === 0) return [];
    const rows: Row[] = await this.sql.query(
      `select ${columns} from workflow_email where organization_id = $1 and email_id = any($2::uuid[])`,
      [uuidOf('org', organizationId), ids.map((id) => uuidOf('cmp', id)).filter((id) => id !== null)],
    );
    return rows.map(emailOf);
  }

  /** Makes these the emails of a workflow's draft: others of it go, known ones are written over. */
  async replace(
    organizationId: string,
    workflowId: string,
    emails: readonly WorkflowEmail[],
    now: Date,
  ): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('wf', workflowId)];
    await this.sql.query(
      `delete from workflow_email where organization_id = $1 and workflow_id = $2 and email_id <> all($3::uuid[])`,
      [...key, emails.map(({ id }) => uuidOf('cmp', id))],
    );
    const rows = emails.map(({ id, senderId, stepId, contentType, replyTo, content, ...email }) => ({
      ...{ ...email, id: uuidOf('cmp', id), sender: uuidOf('snd', senderId), content: { value: content } },
      ...{ step: stepId, type: contentType, reply_to: replyTo },
    }));
    await this.sql.query(
      `insert into workflow_email (organization_id, workflow_id, email_id, step_id, subject, preview, content, content_type, sender_id, reply_to, updated_at)
       select $1, $2, e.id, e.step, e.subject, e.preview, e.content, e.type, e.sender, e.reply_to, $4
       from jsonb_to_recordset($3::jsonb) e(id uuid, step text, subject text, preview text, content jsonb, type text, sender uuid, reply_to text)
       on conflict (organization_id, email_id) do update set step_id = excluded.step_id, subject = excluded.subject,
         preview = excluded.preview, content = excluded.content, content_type = excluded.content_type,
         sender_id = excluded.sender_id, reply_to = excluded.reply_to,
         updated_at = greatest(excluded.updated_at, workflow_email.updated_at + interval '1 ms')
       where workflow_email.workflow_id = excluded.workflow_id`,
      [...key, jsonbText(rows), now],
    );
  }
}
