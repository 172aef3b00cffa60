import { createdAtOf, jsonbText, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { OwnedEmail, WorkflowEmail } from '../../rules/email.js';

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
  updated_at: Date;
}

const columns =
  'email_id, workflow_id, step_id, subject, preview, content, content_type, sender_id, reply_to, updated_at';
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
  updatedAt: row.updated_at,
});

export class EmailRepository {
  constructor(private readonly sql: Sql) {}

  async listOfWorkflow(organizationId: string, workflowId: string): Promise<OwnedEmail[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from workflow_email where organization_id = $1 and workflow_id = $2 order by step_id`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
    );
    return rows.map(emailOf);
  }

  /** Returns emails of any workflow of the organization; unknown ids are left out. */
  async listByIds(organizationId: string, ids: readonly string[]): Promise<OwnedEmail[]> {
    if (ids.length === 0) return [];
    const rows: Row[] = await this.sql.query(
      `select ${columns} from workflow_email where organization_id = $1 and email_id = any($2::uuid[])`,
      [uuidOf('org', organizationId), ids.map((id) => uuidOf('cmp', id)).filter((id) => id !== null)],
    );
    return rows.map(emailOf);
  }

  /** Updates the text of an email. @returns null when it was changed since it was read, or was deleted */
  async update(organizationId: string, read: OwnedEmail, email: WorkflowEmail, now: Date): Promise<OwnedEmail | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update workflow_email set subject = $4, preview = $5, content = $6, content_type = $7, sender_id = $8, reply_to = $9,
         updated_at = greatest($10, updated_at + interval '1 ms')
       where organization_id = $1 and email_id = $2 and updated_at = $3 returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), uuidOf('cmp', read.id), read.updatedAt, email.subject, email.preview],
        ...[jsonbText({ value: email.content }), email.contentType, uuidOf('snd', email.senderId), email.replyTo, now],
      ],
    );
    return rows[0] ? emailOf(rows[0]) : null;
  }

  /** Replaces the emails of a workflow's draft: deletes others, and updates existing ones that differ. */
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
      ...email,
      id: uuidOf('cmp', id),
      sender: uuidOf('snd', senderId),
      content: { value: content },
      step: stepId,
      type: contentType,
      reply_to: replyTo,
      // The id of a new email is generated after the call was sent, so its time may be later.
      changed: new Date(Math.max(createdAtOf(id).getTime(), now.getTime())),
    }));
    await this.sql.query(
      `insert into workflow_email (organization_id, workflow_id, email_id, step_id, subject, preview, content, content_type, sender_id, reply_to, updated_at)
       select $1, $2, e.id, e.step, e.subject, e.preview, e.content, e.type, e.sender, e.reply_to, e.changed
       from jsonb_to_recordset($3::jsonb) e(id uuid, step text, subject text, preview text, content jsonb, type text, sender uuid, reply_to text,
         changed timestamptz)
       on conflict (organization_id, email_id) do update set step_id = excluded.step_id, subject = excluded.subject,
         preview = excluded.preview, content = excluded.content, content_type = excluded.content_type,
         sender_id = excluded.sender_id, reply_to = excluded.reply_to,
         updated_at = greatest(excluded.updated_at, workflow_email.updated_at + interval '1 ms')
       where workflow_email.workflow_id = excluded.workflow_id and
         (workflow_email.step_id, workflow_email.subject, workflow_email.preview, workflow_email.content, workflow_email.content_type, workflow_email.sender_id, workflow_email.reply_to)
         is distinct from (excluded.step_id, excluded.subject, excluded.preview, excluded.content, excluded.content_type, excluded.sender_id, excluded.reply_to)`,
      [...key, jsonbText(rows)],
    );
  }
}
