import type { Args, messageRequests } from '#contracts';
import { newUuid, uuidOf } from '#database';
import type { Sql } from '#database';
import { isFixtureAddress, parseAddress } from '#email-address';

type Asked = Args<(typeof messageRequests)['calls']['queue_workflow_messages']>;
export type WorkflowMessage = Asked['messages'][number];

export class WorkflowMessageRepository {
  constructor(private readonly sql: Sql) {}

  /** Writes the send of an email; the same again changes nothing. */
  async insertSend(
    organizationId: string,
    send: { id: string; month: string },
    mail: NonNullable<Asked['mail']>,
  ): Promise<void> {
    await this.sql.query(
      `insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, reply_to,
         organization_name, track_opens, track_clicks, state, total, pages, period, finished_at)
       values ($1, $2, $3, $4, $2, $5, $6, $7, $8, null, null, 'DONE', 0, 0, $9, clock_timestamp()) on conflict do nothing`,
      [
        ...[uuidOf('org', organizationId), send.id, uuidOf('cmp', mail.campaignId), mail.campaignName],
        ...[JSON.stringify(mail.template), JSON.stringify(mail.sender), mail.replyTo, mail.organizationName],
        `${send.month}-01`,
      ],
    );
  }

  async insertSendLike(organizationId: string, first: string, id: string): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `with made as (
         insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, reply_to,
           organization_name, track_opens, track_clicks, state, total, pages, period, finished_at)
         select organization_id, $3, campaign_id, campaign_name, audience_id, template, sender, reply_to,
           organization_name, track_opens, track_clicks, state, total, pages, period, finished_at
         from send where organization_id = $1 and send_id = $2 on conflict do nothing)
       select 1 from send where organization_id = $1 and send_id = $2`,
      [uuidOf('org', organizationId), first, id],
    );
    return rows.length > 0;
  }

  /**
   * Queues messages of a send, except those with a known source.
   * @returns `made`: how many were queued; `left`: those whose recipients got this send's email before, for another
   * reason
   */
  async insert(
    organizationId: string,
    send: { id: string; month: string; subject: string },
    messages: readonly WorkflowMessage[],
  ): Promise<{ made: number; left: WorkflowMessage[] }> {
    const rows: { source_key: string; is_made: boolean }[] = await this.sql.query(
      `with fresh as materialized (
         select a.* from unnest($5::uuid[], $6::text[], $7::uuid[], $8::text[], $9::boolean[]) with ordinality a(id, source_key, person, email, simulated, place)
         where not exists (select from message_source s where s.organization_id = $1 and s.source_key = a.source_key)),
       made as (
         insert into message (organization_id, message_id, period, kind, send_id, subscriber_id, email, subject, source_key, state, simulated, due_at)
         select $1, id, $3, 'WORKFLOW', $2, person, email, $4, source_key, 'QUEUED', simulated, clock_timestamp() from fresh order by person, place
         on conflict do nothing returning source_key, message_id, period),
       noted as (
         insert into message_source (organization_id, source_key, message_id, period)
         select $1, source_key, message_id, period from made on conflict do nothing)
       select source_key, source_key in (select source_key from made) as is_made from fresh`,
      [
        ...[uuidOf('org', organizationId), send.id, `${send.month}-01`, send.subject],
        messages.map(newUuid),
        messages.map(({ sourceKey }) => sourceKey),
        messages.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        messages.map(({ email }) => email),
        messages.map(({ email }) => isFixture(email)),
      ],
    );
    const left = new Set(rows.flatMap((row) => (row.is_made ? [] : row.source_key)));
    return { made: rows.length - left.size, left: messages.filter(({ sourceKey }) => left.has(sourceKey)) };
  }
}

function isFixture(email: string): boolean {
  const parsed = parseAddress(email);
  return parsed.ok && isFixtureAddress(parsed.address);
}
