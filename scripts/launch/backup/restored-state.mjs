/**
 * What a restored installation must not do by itself: what went out after the backup is unknown, so mail is held and
 * campaigns that are being sent are paused.
 */

/** @typedef {{ campaign: string, name: string, total: number, sent: number, inDoubt: number, open: number }} OpenSend */

/**
 * Holds mail and pauses sends in a restored database; doing it twice changes nothing.
 * @param {any} client of the owner
 * @param {string} takenAt when the backup was taken
 */
export async function holdRestored(client, takenAt) {
  const reason = `restored from the backup of ${takenAt}`;
  await client.query('begin');
  await client.query(
    `insert into delivery.mail_hold (reason, held_by, pauses_sends) values ($1, 'tidings restore', true)
     on conflict (only_row) do update set reason = excluded.reason, held_by = excluded.held_by, pauses_sends = true`,
    [reason],
  );
  await client.query(
    `update delivery.send set state = 'PAUSED', paused_reason = $1, waiting_for = null
     where state = 'RUNNING' and finished_at is null`,
    [`RESTORED: ${reason}`],
  );
  await client.query('commit');
}

/**
 * SQL: attempt marks of unfinished chunks without an outcome, which is never known after a restore.
 * @param {string} attempts condition on the marks `a`
 */
const openMarks = (attempts) => `(
  select count(*)::int from delivery.send_page p
  join delivery.send_attempt a on a.organization_id = p.organization_id and a.send_id = p.send_id and a.chunk_no = p.page_no
  cross join generate_series(0, 511) place
  where p.state <> 'DONE' and ${attempts} and get_bit(a.attempted, place) = 1
    and not exists (select from delivery.campaign_message m where m.message_id = delivery.message_at(a.send_id, a.chunk_no, place)))`;

/**
 * Counts unfinished work at the time of the backup, for the operator to compare before the release.
 * @param {any} client of the owner
 */
export async function inFlight(client) {
  const sends = await client.query(
    `select s.campaign_id as campaign, s.campaign_name as name, s.total, coalesce(sum(p.sent), 0)::int as sent,
       coalesce(sum(p.in_doubt), 0)::int + ${openMarks('a.organization_id = s.organization_id and a.send_id = s.send_id')}
         + (select count(*)::int from delivery.any_message m
            where m.organization_id = s.organization_id and m.send_id = s.send_id and m.state = 'HANDING_OVER') as "inDoubt"
     from delivery.send s left join delivery.send_page p using (organization_id, send_id)
     where s.finished_at is null group by s.organization_id, s.send_id order by s.started_at`,
  );
  const one = async (/** @type {string} */ statement) => Number((await client.query(statement)).rows[0].n);
  return {
    campaigns: /** @type {OpenSend[]} */ (
      sends.rows.map((/** @type {OpenSend} */ row) => ({ ...row, open: row.total - row.sent - row.inDoubt }))
    ),
    starting: await one(
      `select count(*) as n from campaign.campaign where status = 'SENDING' and handed_over_at is null`,
    ),
    overdue: await one(
      `select count(*) as n from campaign.campaign where status = 'SCHEDULED' and scheduled_at <= now()`,
    ),
    queued: await one(
      `select count(*) as n from delivery.message where kind <> 'CAMPAIGN' and due_at is not null and state in ('QUEUED', 'DEFERRED')`,
    ),
    inDoubt: await one(
      `select count(*) + ${openMarks('true')} as n from delivery.any_message
       where state = 'IN_DOUBT' or state = 'HANDING_OVER' and kind in ('CAMPAIGN', 'WORKFLOW')`,
    ),
    repeated: await one(
      `select count(*) as n from delivery.message where state = 'HANDING_OVER' and kind not in ('CAMPAIGN', 'WORKFLOW')`,
    ),
    erasures: await one(`select count(*) as n from delivery.erasure`),
  };
}
