import { uuidOf } from '#database';
import type { TestSystem } from '#testing';
import type { CampaignRun } from '../runs/campaign.js';
import { withDatabase } from '../rig/system-database.js';

/** One rule of the ledger (docs/internals/ledger.md): `sql` finds what breaks it, in words; `$1` organization, `$2` campaign. */
interface LedgerRule {
  name: string;
  sql: string;
}

const sends = `select s.organization_id, s.send_id, s.total, s.audience_id from delivery.send s
  where s.organization_id = $1 and s.campaign_id = $2 and s.layout = 1`;
/** Rows of the ledger of those sends, with their chunk and position. */
const rows = `select s.send_id, m.*, slot >> 10 as chunk, slot & 1023 as position
  from (${sends}) s join delivery.campaign_message m
    on m.message_id between s.send_id and (left(s.send_id::text, 28) || 'ffffffff')::uuid
  cross join lateral (select ('x' || right(m.message_id::text, 8))::bit(32)::int as slot) p`;
const chunks = `select c.*, cardinality(a.subscriber_ids) as size from (${sends}) s
  join delivery.send_page c on c.organization_id = s.organization_id and c.send_id = s.send_id
  join subscriber.audience_page a on a.organization_id = s.organization_id and a.audience_id = s.audience_id and a.page_no = c.page_no`;

const rules: readonly LedgerRule[] = [
  {
    name: 'campaigns are on the ledger',
    sql: `select format('send %s has layout %s', send_id, layout) as found from delivery.send
      where organization_id = $1 and campaign_id = $2 and layout <> 1`,
  },
  {
    name: 'I2: a position is marked once as a first attempt',
    sql: `select format('chunk %s is marked twice by fences %s and %s', a.chunk_no, a.fence, b.fence) as found
      from (${sends}) s join delivery.send_attempt a using (organization_id, send_id)
      join delivery.send_attempt b on b.organization_id = a.organization_id and b.send_id = a.send_id and b.chunk_no = a.chunk_no
        and (b.fence, b.relay_id) > (a.fence, a.relay_id)
        and (a.attempted & b.attempted) <> repeat('0', 512)::bit(512)`,
  },
  {
    name: 'I3: a chunk that is done has a row for every position',
    sql: `select format('chunk %s of %s recipients has %s rows', c.page_no, c.size, count(r.message_id)) as found
      from (${chunks}) c left join (${rows}) r on r.send_id = c.send_id and r.chunk = c.page_no
      where c.state = 'DONE' group by c.page_no, c.size having count(r.message_id) <> c.size`,
  },
  {
    name: 'I3: a mark without a row exists only while its chunk is held',
    sql: `select format('position %s of chunk %s is marked and has no row', b, a.chunk_no) as found
      from (${sends}) s join delivery.send_attempt a using (organization_id, send_id)
      join delivery.send_page c on c.organization_id = a.organization_id and c.send_id = a.send_id and c.page_no = a.chunk_no
      cross join generate_series(0, 499) b
      where c.state = 'DONE' and get_bit(a.attempted, b) = 1
        and not exists (select from (${rows}) r where r.send_id = a.send_id and r.chunk = a.chunk_no and r.position = b)`,
  },
  {
    name: 'I7: the counters of a chunk are the counts of its rows',
    sql: `select format('chunk %s counts %s and has %s', c.page_no, counted, found) as found from (${chunks}) c
      cross join lateral (select jsonb_build_object('sent', c.sent, 'failed', c.failed, 'deferred', c.deferred, 'inDoubt', c.in_doubt,
        'skipped', (select coalesce(sum(value::int), 0) from jsonb_each_text(c.skipped))) as counted) counters
      cross join lateral (select jsonb_build_object('sent', count(*) filter (where r.state in ('S', 'D', 'B', 'C')),
        'failed', count(*) filter (where r.state = 'F'), 'deferred', count(*) filter (where r.state = 'W'),
        'inDoubt', count(*) filter (where r.state = 'I'), 'skipped', count(*) filter (where r.state = 'K')) as found
        from (${rows}) r where r.send_id = c.send_id and r.chunk = c.page_no) counts
      where counted <> found`,
  },
  {
    name: 'I6: the history has each sent message once',
    sql: `select format('%s was sent to %s times by its history', r.email, coalesce(a.email_count, 0)) as found
      from (${rows}) r left join subscriber.subscriber_activity a
        on a.organization_id = r.organization_id and a.subscriber_id = r.subscriber_id
      where r.state in ('S', 'D') and coalesce(a.email_count, 0) <> 1`,
  },
  {
    name: 'I8: no mailbox is written to more often than the guard allows',
    sql: `select format('mailbox %s was written to %s times within 10 minutes', mailbox_hash, lately) as found from (
        select mailbox_hash, count(*) over (partition by mailbox_hash order by coalesce(counted_at, attempted_at)
          range between interval '10 minutes' preceding and current row) as lately
        from (${rows}) r where attempted_at is not null and not simulated) w where lately > 5`,
  },
  {
    name: 'I4: rows move only along the states',
    sql: `select format('message %s went from %s to %s', message_id, before, after) as found from delivery.rig_move
      where organization_id = $1 and $2::uuid is not null`,
  },
];

/** The changes of a state that the state machine has, as the letters before and after (message/ledger-codes.ts). */
const allowedMoves = 'SD SB SC DB DC BC FW KW WS WD WF WK WI IS ID IF IB IC IW'.split(' ');

const watchSql = `
  create table if not exists delivery.rig_move (organization_id uuid, message_id uuid, before text, after text);
  create or replace function delivery.rig_watch() returns trigger language plpgsql security definer as $$
  begin
    insert into delivery.rig_move values (old.organization_id, old.message_id, old.state, new.state);
    return null;
  end $$;
  create or replace trigger rig_watch after update of state on delivery.campaign_message for each row
    when (old.state <> new.state and old.state::text || new.state::text <> all ('{${allowedMoves.join(',')}}'))
    execute function delivery.rig_watch()`;

/** Makes the database record changes of states that no rule of the ledger allows. */
export const watchLedger = (system: TestSystem): Promise<void> =>
  withDatabase(system, async (client) => void (await client.query(watchSql)));

/** @returns the rules that the ledger of a campaign breaks, each with its first example */
export const checkLedger = (system: TestSystem, run: CampaignRun): Promise<string[]> =>
  withDatabase(system, async (client) => {
    const ids = [uuidOf('org', run.organizationId), uuidOf('cmp', run.campaignId)];
    const broken: string[] = [];
    for (const { name, sql } of rules) {
      const { rows: found } = await client.query<{ found: string }>(`${sql} limit 3`, ids);
      if (found.length > 0) broken.push(`${name}: ${found.map((one) => one.found).join('; ')}`);
    }
    return broken;
  });
