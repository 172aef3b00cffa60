import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';
import { columns, counted, countedOf, skippedWith } from './1700000001310-create-group-commit.js';

/**
 * The recipient guard without a row for the messages of campaigns: it reads the ledger, the open attempts, and the rows of
 * other mail. All kinds of mail are counted together.
 */
export class ReadGuard1700000001510 implements MigrationInterface {
  name = 'ReadGuard1700000001510';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

/**
 * Whether the bounds `b` of an organization and the row `g` of a mailbox leave room for a message, without a look into the
 * ledger. Each limit is the highest sum that does.
 */
const isBelow = ({ shortMax, longMax }: { shortMax: number; longMax: number }): string => `(
          b.short_bound + (select count(*) from unnest(g.sent_at) t where t > clock_timestamp() - interval '10 minutes') <= ${shortMax}
          and b.long_bound + (select count(*) from unnest(g.sent_at) t where t > clock_timestamp() - interval '24 hours') <= ${longMax})`;

/**
 * At most how many messages of campaigns any one mailbox of an organization got in 10 minutes and in 24 hours: one of each
 * send, counted to 20 each. What needs an index compares with the start of the statement, which is earlier.
 */
const bounds = (organization: string): string => `(
      select u.n + f.recent as short_bound, u.n + f.daily as long_bound
      from (select count(*) as n from (
          select from send s where s.organization_id = ${organization} and s.layout = 1 and s.finished_at is null limit 20) s) u,
        (select count(*) filter (where s.finished_at > clock_timestamp() - interval '10 minutes') as recent, count(*) as daily from (
          select s.finished_at from send s where s.organization_id = ${organization} and s.layout = 1
            and s.finished_at > statement_timestamp() - interval '24 hours' order by s.finished_at desc limit 20) s) f)`;

const statements = [
  withShortLocks(`
    -- Its condition made each commit write to all indexes of the table.
    drop index send_attempt_pending;
    create index send_page_leased_of_organization on send_page (organization_id, send_id, page_no) where state = 'LEASED';
    create index send_unfinished on send (organization_id, send_id) where layout = 1 and finished_at is null;
    create index send_finished on send (organization_id, finished_at) where layout = 1 and finished_at is not null;`),

  // In order, so that two callers never wait for each other. Two mailboxes may share a lock.
  `create function lock_mailboxes(hashes bigint[]) returns void language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(1510, key) from (select distinct (h & 2147483647)::int as key from unnest(hashes) h order by key) k;
  end $$`,

  // When a mailbox was written to in the last 24 hours, latest first: rows of other mail, the ledger, and marks without a
  // row. A pending mark is the hash with the position in its last 9 bits. Volatile: it sees what others committed before
  // they released the lock of the mailbox.
  `create function mailbox_times(in_organization uuid, in_mailbox text, in_hash bigint) returns timestamptz[]
  language plpgsql as $$
  begin
    return array(
      select t from (
        select unnest(g.sent_at) from recipient_guard g where g.organization_id = in_organization and g.mailbox = in_mailbox
        union all
        select coalesce(m.counted_at, m.attempted_at) from campaign_message m
        where m.mailbox_hash = in_hash and m.organization_id = in_organization and not m.simulated
          and m.message_id >= (
            (select s.send_id from send s where s.organization_id = in_organization and s.layout = 1 and s.finished_at is null
             order by s.send_id limit 1)
            union all
            select s.send_id from send s where s.organization_id = in_organization and s.layout = 1
              and s.finished_at > statement_timestamp() - interval '24 hours'
            order by send_id limit 1)
        union all
        select distinct on (p.send_id, p.page_no, v) least(clock_timestamp(), p.until) from send_page p
        join send_attempt a on a.organization_id = p.organization_id and a.send_id = p.send_id and a.chunk_no = p.page_no,
          unnest(a.pending) v
        where p.organization_id = in_organization and p.state = 'LEASED' and v & -512 = in_hash & -512 and not exists (
          select from campaign_message m
          where m.message_id = (left(p.send_id::text, 28) || lpad(to_hex(p.page_no << 10 | (v & 511)::int), 8, '0'))::uuid)) u(t)
      where t > clock_timestamp() - interval '24 hours' order by t desc limit 20);
  end $$`,

  // When a mailbox with these times, latest first, may get its next message; null: now.
  `create function guard_opens(times timestamptz[]) returns timestamptz language plpgsql as $$
  declare
    opens_at constant timestamptz := greatest(times[5] + interval '10 minutes', times[20] + interval '24 hours');
  begin
    return case when opens_at > clock_timestamp() then opens_at end;
  end $$`,

  // Counts one message for each mailbox that may get one, and returns those mailboxes.
  `create function take_guard(in_organizations uuid[], in_mailboxes text[], in_hashes bigint[])
  returns table (organization_id uuid, mailbox text) language plpgsql as $$
  #variable_conflict use_column
  begin
    if cardinality(in_mailboxes) is null then
      return;
    end if;
    perform lock_mailboxes(in_hashes);
    return query
    with want as materialized (
      select distinct organization_id, mailbox, hash from unnest(in_organizations, in_mailboxes, in_hashes) w(organization_id, mailbox, hash))
    insert into recipient_guard as g (organization_id, mailbox, sent_at)
    select w.organization_id, w.mailbox, array[clock_timestamp()] from want w
    join (select o.organization_id, b.* from (select distinct organization_id from want) o cross join lateral ${bounds('o.organization_id')} b) b
      on b.organization_id = w.organization_id
    left join recipient_guard g on g.organization_id = w.organization_id and g.mailbox = w.mailbox
    where ${isBelow({ shortMax: 4, longMax: 19 })} or guard_opens(mailbox_times(w.organization_id, w.mailbox, w.hash)) is null
    order by w.organization_id, w.mailbox
    on conflict (organization_id, mailbox) do update set
      sent_at = array(select t from unnest(g.sent_at) t where t > clock_timestamp() - interval '24 hours' order by t) || clock_timestamp()::timestamptz(3)
    returning g.organization_id, g.mailbox;
  end $$`,

  // One call records the outcomes of a process's chunks and marks their next messages. c_: a chunk each, in key order;
  // o_, m_, x_: outcomes, marks and withdrawn marks, with the place of their chunk. One statement after the other, each
  // on a snapshot of its own: what follows the locks sees what earlier holders committed.
  `create function commit_chunks(
    in_owner uuid, lease_seconds float8,
    c_organization uuid[], c_send uuid[], c_chunk int[], c_fence bigint[], c_relay smallint[], c_step int[],
    -- The size of a chunk with nothing left to do, else null; and the first and the last id of its messages.
    c_done int[], c_first uuid[], c_last uuid[],
    -- c_pending: the marks that are open, as in send_attempt.
    c_outbox uuid[], c_lane smallint[], c_events text[], c_pending text[],
    o_n int[], o_id uuid[], o_at timestamptz[], o_hash bigint[], o_subscriber uuid[], o_relay smallint[], o_code smallint[],
    o_attempts smallint[], o_state text[], o_simulated boolean[], o_email text[], o_response text[], o_subject text[], o_skip text[],
    o_wait float8[],
    m_n int[], m_id uuid[], m_position int[], m_mailbox text[], m_hash bigint[], m_subscriber uuid[], m_email text[], m_subject text[],
    x_n int[], x_position int[])
  returns table (n int, held boolean, send_state text, settled boolean, started int[], refused int[])
  language plpgsql set lock_timeout = '1s' as $$
  #variable_conflict use_column
  declare
    none constant bit(512) := repeat('0', 512)::bit(512);
    -- By place of the chunk. mine: no other lease began. live: and this one did not end. applies: this call is its next
    -- commit. again: an earlier call was that, and its answer was lost.
    mine boolean[]; live boolean[]; applies boolean[]; again boolean[]; states text[];
    own bit(512)[]; taken bit(512)[]; marked bit(512)[]; postponed int[];
    one record; expected int; inserted int; fits boolean;
  begin
    select array_agg(coalesce(p.mine, false) order by k.n), array_agg(coalesce(p.live, false) order by k.n) into mine, live
    from unnest(c_organization, c_send, c_chunk, c_fence) with ordinality k(organization_id, send_id, chunk, fence, n)
    left join lateral (
      select p.fence = k.fence as mine,
        p.fence = k.fence and p.owner = in_owner and p.state = 'LEASED' and p.until > clock_timestamp() as live
      from send_page p where p.organization_id = k.organization_id and p.send_id = k.send_id and p.page_no = k.chunk
      for no key update of p) p on true;

    if 0 = any(c_step) then
      insert into send_attempt (organization_id, send_id, chunk_no, fence, relay_id, step, attempted)
      select k.organization_id, k.send_id, k.chunk, k.fence, k.relay, 0, none
      from unnest(c_organization, c_send, c_chunk, c_fence, c_relay, c_step)
        with ordinality k(organization_id, send_id, chunk, fence, relay, step, n)
      where k.step = 0 and mine[k.n] on conflict do nothing;
    end if;

    select array_agg(mine[k.n] and coalesce(a.step = k.step, false) order by k.n),
      array_agg(coalesce(a.step = k.step + 1, false) order by k.n), array_agg(coalesce(a.attempted, none) order by k.n),
      array_agg((select coalesce(bit_or(b.attempted), none) from send_attempt b
        where b.organization_id = k.organization_id and b.send_id = k.send_id and b.chunk_no = k.chunk) order by k.n),
      array_agg(case when s.state = 'RUNNING' and exists (select from mail_hold) then 'PAUSED' else s.state end order by k.n),
      array_agg(0 order by k.n), array_agg(none order by k.n)
    into applies, again, own, taken, states, postponed, marked
    from unnest(c_organization, c_send, c_chunk, c_fence, c_relay, c_step)
      with ordinality k(organization_id, send_id, chunk, fence, relay, step, n)
    left join send_attempt a on a.organization_id = k.organization_id and a.send_id = k.send_id and a.chunk_no = k.chunk
      and a.fence = k.fence and a.relay_id = k.relay
    left join send s on s.organization_id = k.organization_id and s.send_id = k.send_id;

    if cardinality(o_id) > 0 then
      select count(*) into expected from unnest(o_n) o where applies[o];
      insert into campaign_message (${columns})
      select o.id, o.at, o.hash, c_organization[o.n], o.subscriber, o.relay, o.code, o.attempts, o.state::"char", 'C',
        o.simulated, o.email, o.response, o.subject::jsonb, o.skip
      from unnest(o_n, o_id, o_at, o_hash, o_subscriber, o_relay, o_code, o_attempts, o_state, o_simulated, o_email, o_response,
        o_subject, o_skip) o(n, id, at, hash, subscriber, relay, code, attempts, state, simulated, email, response, subject, skip)
      where applies[o.n] on conflict do nothing;
      get diagnostics inserted = row_count;
      if inserted <> expected then
        raise exception 'a message with a new outcome has a row already' using errcode = 'TD010';
      end if;
      if 'W' = any(o_state) then
        insert into message_queue (message_id, organization_id, kind, send_id, due_at, attempts, state)
        select o.id, c_organization[o.n], 'C', c_send[o.n], clock_timestamp() + make_interval(secs => o.wait), o.attempts, 'DEFERRED'
        from unnest(o_n, o_id, o_attempts, o_state, o_wait) o(n, id, attempts, state, wait) where applies[o.n] and o.state = 'W';
      end if;
    end if;

    -- A caller that decides on a mailbox holds its lock until the end, so that the next statement sees all earlier decisions.
    perform lock_mailboxes(array_agg(m.hash)) from unnest(m_n, m_mailbox, m_hash) m(n, mailbox, hash)
    where m.mailbox is not null and applies[m.n] and live[m.n] and states[m.n] = 'RUNNING';

    -- The usual case: the campaigns alone cannot exceed a limit, and no other mail went to these mailboxes lately.
    select coalesce(bool_and(b.short_bound <= 5 and b.long_bound <= 20), true) into fits
    from (select distinct id from unnest(c_organization) id) o cross join lateral ${bounds('o.id')} b;
    if fits and exists (select from recipient_guard g where g.organization_id = any(c_organization)) then
      select not exists (
        select from unnest(m_n, m_mailbox) m(n, mailbox)
        cross join lateral (select from recipient_guard g where g.organization_id = c_organization[m.n] and g.mailbox = m.mailbox limit 1) g)
      into fits;
    end if;

    if fits then
      for one in
        select m.n, bit_or(set_bit(none, m.position, 1)) as bits,
          string_agg((m.hash & -512 | m.position)::text, ',') filter (where m.mailbox is not null) as pending
        from unnest(m_n, m_position, m_mailbox, m_hash) m(n, position, mailbox, hash)
        where applies[m.n] and live[m.n] and states[m.n] = 'RUNNING' and get_bit(taken[m.n], m.position) = 0
        group by m.n
      loop
        marked[one.n] := one.bits;
        c_pending[one.n] := concat_ws(',', c_pending[one.n], one.pending);
      end loop;
    else
      for one in
        with want as materialized (
          select m.*, c_organization[m.n] as organization_id,
            case when m.mailbox is null then 1 else row_number() over (partition by c_organization[m.n], m.mailbox order by m.n, m.position) end as nth
          from unnest(m_n, m_id, m_position, m_mailbox, m_hash, m_subscriber, m_email, m_subject)
            m(n, id, position, mailbox, hash, subscriber, email, subject)
          where applies[m.n] and live[m.n] and states[m.n] = 'RUNNING' and get_bit(taken[m.n], m.position) = 0),
        -- The bounds count the message of this send.
        decided as materialized (
          select w.*, case when w.mailbox is not null and not ${isBelow({ shortMax: 5, longMax: 20 })}
            then guard_opens(mailbox_times(w.organization_id, w.mailbox, w.hash)) end as opens_at
          from want w
          left join (
            select o.organization_id, b.* from (select distinct organization_id from want) o cross join lateral ${bounds('o.organization_id')} b) b
            on b.organization_id = w.organization_id
          left join recipient_guard g on g.organization_id = w.organization_id and g.mailbox = w.mailbox
          where w.nth = 1),
        put_off as (
          insert into campaign_message (${columns})
          select d.id, null, d.hash, d.organization_id, d.subscriber, null, null, 0, 'W', 'C', false, d.email,
            'the recipient guard lets this mailbox be written to later', d.subject::jsonb, null
          from decided d where d.opens_at is not null),
        queued as (
          insert into message_queue (message_id, organization_id, kind, send_id, due_at, state)
          select d.id, d.organization_id, 'C', c_send[d.n], d.opens_at, 'DEFERRED' from decided d where d.opens_at is not null)
        select d.n, coalesce(bit_or(set_bit(none, d.position, 1)) filter (where d.opens_at is null), none) as bits,
          string_agg((d.hash & -512 | d.position)::text, ',') filter (where d.opens_at is null and d.mailbox is not null) as pending,
          count(d.opens_at)::int as postponed
        from decided d group by d.n
      loop
        marked[one.n] := one.bits;
        c_pending[one.n] := concat_ws(',', c_pending[one.n], one.pending);
        postponed[one.n] := one.postponed;
      end loop;
    end if;

    if cardinality(x_n) > 0 then
      update send_attempt a set attempted = a.attempted & ~x.bits
      from (select x.n, bit_or(set_bit(none, x.position, 1)) as bits from unnest(x_n, x_position) x(n, position) where applies[x.n] group by x.n) x
      where a.organization_id = c_organization[x.n] and a.send_id = c_send[x.n] and a.chunk_no = c_chunk[x.n] and a.fence = c_fence[x.n];
    end if;
    update send_attempt a set step = a.step + 1, attempted = a.attempted | marked[k.n],
      pending = coalesce(string_to_array(c_pending[k.n], ',')::bigint[], '{}')
    from unnest(c_organization, c_send, c_chunk, c_fence, c_relay) with ordinality k(organization_id, send_id, chunk, fence, relay, n)
    where applies[k.n] and a.organization_id = k.organization_id and a.send_id = k.send_id and a.chunk_no = k.chunk
      and a.fence = k.fence and a.relay_id = k.relay;

    update send_page p set ${counted}, deferred = p.deferred + d.deferred + postponed[k.n], skipped = ${skippedWith},
      settled_at = case when d.n > 0 then clock_timestamp() else p.settled_at end,
      until = case when live[k.n] then clock_timestamp() + make_interval(secs => lease_seconds) else p.until end,
      state = case when live[k.n] and c_done[k.n] is not null then 'DONE' else p.state end
    from unnest(c_organization, c_send, c_chunk) with ordinality k(organization_id, send_id, chunk, n)
    cross join lateral (${countedOf(`unnest(o_n, o_state, o_skip) o(n, state, skip) where o.n = k.n`)}) d
    where applies[k.n] and p.organization_id = k.organization_id and p.send_id = k.send_id and p.page_no = k.chunk;

    insert into outbox (outbox_id, lane, organization_id, subject, events)
    select k.outbox_id, k.lane, k.organization_id, 'delivery', ('[' || k.events || ']')::jsonb
    from unnest(c_outbox, c_lane, c_organization, c_events) with ordinality k(outbox_id, lane, organization_id, events, n)
    where applies[k.n] and k.events is not null;

    for place in 1 .. cardinality(c_done) loop
      continue when c_done[place] is null or not (applies[place] and live[place]);
      select count(*) into inserted from campaign_message where message_id between c_first[place] and c_last[place];
      if inserted <> c_done[place] then
        raise exception 'a chunk of % recipients ends with % messages', c_done[place], inserted using errcode = 'TD011';
      end if;
    end loop;

    return query
    select k.n::int, live[k.n], states[k.n], applies[k.n] or again[k.n],
      array(select m.position from unnest(m_n, m_position) m(n, position)
        where m.n = k.n and get_bit(case when again[k.n] then own[k.n] else marked[k.n] end, m.position) = 1),
      array(select m.position from unnest(m_n, m_position, m_id) m(n, position, id)
        where m.n = k.n and (again[k.n] or postponed[k.n] > 0)
          and exists (select from campaign_message c where c.message_id = m.id))
    from unnest(c_chunk) with ordinality k(chunk, n) order by k.n;
  end $$`,
];
