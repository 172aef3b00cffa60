import pg from 'pg';
import { uuidOf } from '#database';
import { withoutIndexes } from './without-indexes.js';

export interface HistoryOptions {
  databaseUrl: string;
  organizationId: string;
  eventsEach: number;
}

/** Sent, opened and clicked, as often as people do; within the months that a new database has partitions for. */
const events = `select e.at, s.organization_id, gen_random_uuid(), s.subscriber_id,
    case when e.n % 10 < 5 then 'EMAIL_SENT' when e.n % 10 < 9 then 'EMAIL_OPENED' else 'EMAIL_CLICKED' end, '{}'
  from subscriber s, lateral (
    select n, clock_timestamp() - ((hashint8(n::bigint * 7919 + hashtext(s.subscriber_id::text))::bigint & 2147483647) % 2332800) * interval '1 second' as at
    from generate_series(0, $2 - 1) n) e
  where s.organization_id = $1`;

/** Six of ten opened in the last year, spread evenly; one of ten has never had mail. */
const activity = `select s.organization_id, s.subscriber_id, 5, case when h.n % 10 < 6 then 3 else 0 end,
    case when h.n % 10 < 6 then clock_timestamp() - (h.n / 10 % 365) * interval '1 day' end
  from subscriber s, lateral (select hashtext(s.subscriber_id::text)::bigint & 2147483647 as n) h
  where s.organization_id = $1 and h.n % 10 < 9`;

/**
 * Fills an organization's subscribers with a history and counters inside the database: no row travels to the client.
 */
export async function fillHistory({ databaseUrl, organizationId, eventsEach }: HistoryOptions): Promise<void> {
  const org = uuidOf('org', organizationId);
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c search_path=subscriber,public -c timezone=UTC -c maintenance_work_mem=512MB',
  });
  await client.connect();
  try {
    await client.query(
      `insert into subscriber_activity (organization_id, subscriber_id, email_count, open_count, last_opened_at) ${activity}`,
      [org],
    );
    if (eventsEach > 0) await insertEvents(client, [org, eventsEach]);
    await client.query('vacuum analyze subscriber_activity, subscriber_event');
  } finally {
    await client.end();
  }
}

/** The primary key too: its order is not that of the rows. */
async function insertEvents(client: pg.Client, params: unknown[]): Promise<void> {
  await withoutIndexes(client, 'subscriber_event', async () => {
    await client.query('alter table subscriber_event drop constraint subscriber_event_pkey');
    await client.query(
      `insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, data) ${events}`,
      params,
    );
    await client.query('alter table subscriber_event add primary key (created_at, organization_id, event_id)');
  });
}
