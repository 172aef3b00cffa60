import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The functions that write the ledger of chunks: the group commit, the take-over, and late results. */
export class CreateGroupCommit1700000001310 implements MigrationInterface {
  name = 'CreateGroupCommit1700000001310';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

/** Instants of the last 24 hours at which the mailbox of guard row `g` was written to. */
const recent = `select t from unnest(g.sent_at) t where t > clock_timestamp() - interval '24 hours'`;

/** Columns of campaign_message that every outcome fills. */
export const columns = `message_id, attempted_at, mailbox_hash, organization_id, subscriber_id, relay_id, code, attempts, state, kind,
      simulated, email, response, subject_values, skip_reason`;

/** Adds the outcomes `o` of chunk `n` to the counters of its row `p`; `W` and `K` are DEFERRED and SKIPPED. */
export const counted = `sent = p.sent + d.sent, delivered = p.delivered + d.delivered, failed = p.failed + d.failed, in_doubt = p.in_doubt + d.in_doubt`;
export const countedOf = (outcomes: string) => `
      select count(*) filter (where o.state in ('S', 'D'))::int as sent, count(*) filter (where o.state = 'D')::int as delivered,
        count(*) filter (where o.state = 'F')::int as failed, count(*) filter (where o.state = 'W')::int as deferred,
        count(*) filter (where o.state = 'I')::int as in_doubt, count(*)::int as n,
        array_agg(o.skip) filter (where o.state = 'K') as skips
      from ${outcomes}`;
export const skippedWith = `case when d.skips is null then p.skipped else p.skipped || (
      select jsonb_object_agg(k.reason, coalesce((p.skipped ->> k.reason)::int, 0) + k.n)
      from (select reason, count(*)::int as n from unnest(d.skips) reason group by reason) k) end`;

const statements = [
  // One call records the outcomes of a process's chunks and marks their next messages. c_: a chunk each, in key order;
  // o_, m_, x_: outcomes, marks and withdrawn marks, with the place of their chunk. One statement after the other, each
  // on a snapshot of its own: what follows the locks sees what earlier holders committed.
  `create function commit_chunks(
    in_owner uuid, lease_seconds float8,
    c_organization uuid[], c_send uuid[], c_chunk int[], c_fence bigint[], c_relay smallint[], c_step int[],
    -- The size of a chunk with nothing left to do, else null; and the first and the last id of its messages.
    c_done int[], c_first uuid[], c_last uuid[],
    c_outbox uuid[], c_lane smallint[], c_events text[],
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
    one record; expected int; inserted int;
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

    for one in
      with want as materialized (
        select m.*, c_organization[m.n] as organization_id,
          case when m.mailbox is null then 1 else row_number() over (partition by c_organization[m.n], m.mailbox order by m.n, m.position) end as nth
        from unnest(m_n, m_id, m_position, m_mailbox, m_hash, m_subscriber, m_email, m_subject)
          m(n, id, position, mailbox, hash, subscriber, email, subject)
        where applies[m.n] and live[m.n] and states[m.n] = 'RUNNING' and get_bit(taken[m.n], m.position) = 0),
      guarded as (
        insert into recipient_guard as g (organization_id, mailbox, sent_at)
        select organization_id, mailbox, array[clock_timestamp()] from (
          select organization_id, mailbox from want where mailbox is not null and nth = 1 order by organization_id, mailbox) taking
        on conflict (organization_id, mailbox) do update set sent_at = array(${recent} order by t) || clock_timestamp()::timestamptz(3)
        where (select count(*) < 20 and count(*) filter (where t > clock_timestamp() - interval '10 minutes') < 5 from (${recent}) lately)
        returning organization_id, mailbox),
      decided as materialized (
        select w.*, w.mailbox is null or g.mailbox is not null as admitted
        from want w left join guarded g on g.organization_id = w.organization_id and g.mailbox = w.mailbox where w.nth = 1),
      put_off as (
        insert into campaign_message (${columns})
        select d.id, null, d.hash, d.organization_id, d.subscriber, null, null, 0, 'W', 'C', false, d.email,
          'the recipient guard lets this mailbox be written to later', d.subject::jsonb, null
        from decided d where not d.admitted),
      queued as (
        insert into message_queue (message_id, organization_id, kind, send_id, due_at, state)
        select d.id, d.organization_id, 'C', c_send[d.n], coalesce((
          select greatest(
            (select t + interval '10 minutes' from unnest(g.sent_at) t order by t desc offset 4 limit 1),
            (select t + interval '24 hours' from unnest(g.sent_at) t order by t desc offset 19 limit 1),
            clock_timestamp() + interval '1 second')
          from recipient_guard g where g.organization_id = d.organization_id and g.mailbox = d.mailbox),
          clock_timestamp() + interval '10 minutes'), 'DEFERRED'
        from decided d where not d.admitted)
      select d.n, coalesce(bit_or(set_bit(none, d.position, 1)) filter (where d.admitted), none) as bits,
        (count(*) filter (where not d.admitted))::int as postponed
      from decided d group by d.n
    loop
      marked[one.n] := one.bits;
      postponed[one.n] := one.postponed;
    end loop;

    if cardinality(x_n) > 0 then
      update send_attempt a set attempted = a.attempted & ~x.bits
      from (select x.n, bit_or(set_bit(none, x.position, 1)) as bits from unnest(x_n, x_position) x(n, position) where applies[x.n] group by x.n) x
      where a.organization_id = c_organization[x.n] and a.send_id = c_send[x.n] and a.chunk_no = c_chunk[x.n] and a.fence = c_fence[x.n];
    end if;
    update send_attempt a set step = a.step + 1, attempted = a.attempted | marked[k.n]
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

  // Puts the marks of earlier leases without an outcome in doubt, except those to test addresses, which no relay ever saw.
  // The arrays are the recipients of the chunk by position. Returns the positions that have a row now.
  `create function take_over_chunk(
    in_organization uuid, in_send uuid, in_chunk int, in_owner uuid, in_fence bigint, first_id uuid, last_id uuid,
    r_id uuid[], r_hash bigint[], r_subscriber uuid[], r_email text[], r_simulated boolean[])
  returns table (held boolean, settled int[], doubted int)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    mine boolean; others int;
  begin
    select p.fence = in_fence and p.owner = in_owner and p.state = 'LEASED' into mine from send_page p
    where p.organization_id = in_organization and p.send_id = in_send and p.page_no = in_chunk for no key update;
    if mine is not true then
      return query select false, '{}'::int[], 0;
      return;
    end if;
    with doubted as (
      insert into campaign_message (${columns})
      select r_id[b + 1], clock_timestamp(), r_hash[b + 1], in_organization, r_subscriber[b + 1], a.relay_id, null, 1,
        case when r_simulated[b + 1] then 'W' else 'I' end::"char", 'C', r_simulated[b + 1], r_email[b + 1],
        'the process that handed it over went away', null, null
      from send_attempt a cross join generate_series(0, cardinality(r_id) - 1) b
      where a.organization_id = in_organization and a.send_id = in_send and a.chunk_no = in_chunk and a.fence < in_fence
        and get_bit(a.attempted, b) = 1
      on conflict do nothing returning message_id, state),
    queued as (
      insert into message_queue (message_id, organization_id, kind, send_id, due_at, attempts, state)
      select message_id, in_organization, 'C', in_send, clock_timestamp(), 1, 'DEFERRED' from doubted where state = 'W')
    select (count(*) filter (where state = 'I'))::int, (count(*) filter (where state = 'W'))::int into doubted, others from doubted;
    update send_page p set in_doubt = p.in_doubt + doubted, deferred = p.deferred + others
    where p.organization_id = in_organization and p.send_id = in_send and p.page_no = in_chunk and doubted + others > 0;
    return query select true, array(
      select ('x' || right(message_id::text, 8))::bit(32)::int & 1023 from campaign_message
      where message_id between first_id and last_id and organization_id = in_organization), doubted;
  end $$`,

  // Results of a lease that ended: they settle the marks of that very attempt that have no row yet, or are in doubt. A row
  // in doubt by a later attempt has a higher number of attempts. Returns the ids it settled.
  `create function settle_late(
    in_organization uuid, in_send uuid, in_chunk int, in_fence bigint, in_outbox uuid, in_lane smallint,
    o_id uuid[], o_position int[], o_at timestamptz[], o_hash bigint[], o_subscriber uuid[], o_relay smallint[], o_code smallint[],
    o_state text[], o_email text[], o_response text[], o_subject text[], o_wait float8[], o_events text[])
  returns uuid[] language plpgsql as $$
  #variable_conflict use_column
  declare
    fresh uuid[]; doubted uuid[];
  begin
    -- In the order of other writers: messages, then their chunk.
    perform from campaign_message where message_id = any(o_id) order by message_id for no key update;
    perform from send_page p where p.organization_id = in_organization and p.send_id = in_send and p.page_no = in_chunk
      for no key update;
    with late as materialized (
      select o.* from unnest(o_id, o_position, o_at, o_hash, o_subscriber, o_relay, o_code, o_state, o_email, o_response, o_subject)
        o(id, position, at, hash, subscriber, relay, code, state, email, response, subject)
      join send_attempt a on a.organization_id = in_organization and a.send_id = in_send and a.chunk_no = in_chunk
        and a.fence = in_fence and a.relay_id = o.relay and get_bit(a.attempted, o.position) = 1),
    made as (
      insert into campaign_message (${columns})
      select id, at, hash, in_organization, subscriber, relay, code, 1, state::"char", 'C', false, email, response, subject::jsonb, null
      from late on conflict do nothing returning message_id),
    moved as (
      update campaign_message m set state = l.state::"char", code = l.code, response = l.response, attempted_at = l.at,
        subject_values = l.subject::jsonb
      from late l where m.message_id = l.id and m.organization_id = in_organization and m.state = 'I' and m.attempts = 1
        and m.relay_id = l.relay
      returning m.message_id)
    select array(select message_id from made), array(select message_id from moved) into fresh, doubted;
    insert into message_queue (message_id, organization_id, kind, send_id, due_at, attempts, state)
    select o.id, in_organization, 'C', in_send, clock_timestamp() + make_interval(secs => o.wait), 1, 'DEFERRED'
    from unnest(o_id, o_state, o_wait) o(id, state, wait) where o.state = 'W' and o.id = any(fresh || doubted);
    update send_page p set ${counted.replace('d.in_doubt', 'd.in_doubt - cardinality(doubted)')}, deferred = p.deferred + d.deferred,
      settled_at = clock_timestamp()
    from (${countedOf(`unnest(o_id, o_state) u(id, state), lateral (select u.state, null::text as skip) o where u.id = any(fresh || doubted)`)}) d
    where p.organization_id = in_organization and p.send_id = in_send and p.page_no = in_chunk and d.n > 0;
    insert into outbox (outbox_id, lane, organization_id, subject, events)
    select in_outbox, in_lane, in_organization, 'delivery', ('[' || string_agg(o.events, ',') || ']')::jsonb
    from unnest(o_id, o_events) o(id, events) where o.events <> '' and o.id = any(fresh || doubted) having count(*) > 0;
    return fresh || doubted;
  end $$`,
];
