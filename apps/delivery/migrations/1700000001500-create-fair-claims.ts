import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/**
 * The order in which organizations and their sends are served, and the sends that may be at their end. Triggers note
 * what changed, so that processes of the version before, which do not know these tables, are covered too.
 */
export class CreateFairClaims1700000001500 implements MigrationInterface {
  name = 'CreateFairClaims1700000001500';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...statements, ...noteUnfinished]) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

/** Whether chunk `q` may be claimed, but for its send. */
const isFree = `q.state <> 'DONE' and (q.state = 'READY' or q.until < clock_timestamp())
        and (q.due_at is null or q.due_at <= clock_timestamp())`;

/** The first chunk of send `s` that may be claimed and that no other session locks. */
const firstFree = `cross join lateral (
        select q.page_no from send_page q where q.organization_id = s.organization_id and q.send_id = s.send_id and ${isFree}
        order by q.page_no limit 1 for no key update of q skip locked) c`;

/** Notes the sends of the version before; after the triggers exist, so that none is missed. */
export const noteUnfinished = [
  `insert into send_turn_change (organization_id, send_id) select organization_id, send_id from send where finished_at is null`,
  `insert into send_end_check (organization_id, send_id) select organization_id, send_id from send
    where finished_at is null or state = 'STOPPED'`,
];

const statements = [
  // turn_at: when its sends were served last, or when one of them may be served next, if that is later. Null: nothing can
  // be claimed until something changes. Its row lock protects the turns of its sends. Microseconds, since a turn that is
  // rounded up would not be due yet.
  `create table organization_turn (
    organization_id uuid primary key,
    turn_at timestamptz
  ) with (fillfactor = 70)`,
  `create index organization_turn_next on organization_turn (turn_at) where turn_at is not null`,
  // As above, for a send; never later than the first moment at which a chunk of it can be claimed. No row: nothing can.
  `create table send_turn (
    organization_id uuid not null,
    send_id uuid not null,
    turn_at timestamptz not null,
    primary key (organization_id, send_id)
  ) with (fillfactor = 70)`,
  `create index send_turn_next on send_turn (organization_id, turn_at)`,
  // Sends whose turn must be computed again, and sends that may be at their end. Inserts only, so that a long transaction
  // holds no lock that a claim needs.
  `create table send_turn_change (
    change_id bigint generated always as identity primary key,
    organization_id uuid not null,
    send_id uuid not null,
    noted_at timestamptz not null default clock_timestamp()
  )`,
  `create index send_turn_change_of_organization on send_turn_change (organization_id, change_id)`,
  `create table send_end_check (
    check_id bigint generated always as identity primary key,
    organization_id uuid not null,
    send_id uuid not null
  )`,

  // The first moment at which a chunk of a send can be claimed, -infinity for now; null if none can.
  `create function next_send_turn(in_organization uuid, in_send uuid) returns timestamptz language plpgsql stable as $$
  begin
    return (select greatest(s.not_before, c.claimable_at) from send s cross join lateral (
      select coalesce(
        (select '-infinity'::timestamptz from send_page q
          where q.organization_id = s.organization_id and q.send_id = s.send_id and q.state <> 'DONE' and q.state = 'READY'
            and (q.due_at is null or q.due_at <= statement_timestamp()) limit 1),
        (select min(greatest(q.until, q.due_at)) from send_page q
          where q.organization_id = s.organization_id and q.send_id = s.send_id and q.state <> 'DONE')) as claimable_at) c
    where s.organization_id = in_organization and s.send_id = in_send and s.finished_at is null
      and s.state in ('RUNNING', 'STOPPED') and c.claimable_at is not null);
  end $$`,

  // Applies at most `most` changes of the organization with the oldest one; false if there is none. A send or an
  // organization that is due already keeps its place. Others get theirs from the moment of the change, so that a delay here
  // costs no turn. A transaction locks one organization only, and first, so that no two wait for each other: `skip locked`
  // may wait too, for a row that was just updated.
  `create function update_send_turns(most int) returns boolean language plpgsql as $$
  #variable_conflict use_column
  declare
    in_organization uuid; sends uuid[]; noted timestamptz[]; moment timestamptz; next_at timestamptz;
  begin
    select c.organization_id into in_organization from send_turn_change c order by c.change_id limit 1;
    if not found then
      return false;
    end if;
    insert into organization_turn (organization_id) values (in_organization) on conflict do nothing;
    -- What follows the lock sees what earlier holders committed, and all that the changes are about.
    perform from organization_turn t where t.organization_id = in_organization for no key update;
    with applied as (
      delete from send_turn_change c where c.change_id = any(array(
        select n.change_id from send_turn_change n where n.organization_id = in_organization order by n.change_id limit most))
      returning c.send_id, c.noted_at)
    select array_agg(a.send_id), array_agg(a.noted_at) into sends, noted
    from (select send_id, min(noted_at) as noted_at from applied group by send_id) a;
    moment := clock_timestamp();
    with next as materialized (
      select u.send_id, u.noted_at, next_send_turn(in_organization, u.send_id) as turn_at from unnest(sends, noted) u(send_id, noted_at)),
    gone as (
      delete from send_turn t using next n where t.organization_id = in_organization and t.send_id = n.send_id and n.turn_at is null)
    insert into send_turn as t (organization_id, send_id, turn_at)
    select in_organization, n.send_id, greatest(n.turn_at, n.noted_at) from next n where n.turn_at is not null
    on conflict (organization_id, send_id) do update
      set turn_at = case when excluded.turn_at <= moment and t.turn_at <= moment then t.turn_at else excluded.turn_at end;
    next_at := (select t.turn_at from send_turn t where t.organization_id = in_organization order by t.turn_at limit 1);
    update organization_turn t set turn_at = case when next_at <= moment and t.turn_at <= moment then t.turn_at else next_at end
    where t.organization_id = in_organization;
    return true;
  end $$`,

  // Leases a chunk of the organization that was served longest ago, and within it of the send that was. Rows that other
  // sessions lock are passed over. Turns that prove too early are computed again. Returns no row if nothing is due; a row
  // without a chunk if the organization had none, to be called again with it among `visited`; a row of nulls if another
  // process served the organization meanwhile, to be called again.
  `create function claim_chunk(in_owner uuid, lease_seconds float8, passed_over uuid[], visited uuid[])
  returns table (organization_id uuid, send_id uuid, page_no int, fence bigint, send_state text, period date, campaign_id uuid,
    audience_id uuid, layout smallint, waited boolean)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    moment timestamptz := clock_timestamp();
    in_organization uuid; in_send uuid; tried uuid[] := passed_over; in_chunk int; is_claimed boolean := false; next_at timestamptz;
  begin
    -- While mail is held, only chunks of stopped sends are claimed, which are few. Their turns may stay: they are past.
    if exists (select from mail_hold) then
      select s.organization_id, s.send_id, c.page_no into in_organization, in_send, in_chunk
      from send s ${firstFree}
      where s.finished_at is null and s.state = 'STOPPED' and s.send_id <> all(passed_over)
        and (s.not_before is null or s.not_before <= moment) limit 1;
      if found then
        return query select * from lease_chunk(in_organization, in_send, in_chunk, in_owner, lease_seconds);
      end if;
      return;
    end if;

    -- Read twice: one that was served since the statement began differs from what it found, and is not taken again.
    select t.organization_id into in_organization
    from organization_turn o join organization_turn t on t.organization_id = o.organization_id and t.turn_at = o.turn_at
    where o.turn_at <= moment and o.organization_id <> all(visited)
    order by o.turn_at limit 1 for no key update of t skip locked;
    if not found then
      -- Another process may be claiming of the only organization that is due, or served it after this claim began. It is
      -- waited for, for a moment.
      select t.organization_id into in_organization from organization_turn t
      where t.turn_at <= clock_timestamp() and t.organization_id <> all(visited) order by t.turn_at limit 1;
      if found then
        perform from organization_turn t where t.organization_id = in_organization for no key update;
        return query select null::uuid, null::uuid, null::int, null::bigint, null::text, null::date, null::uuid, null::uuid,
          null::smallint, null::boolean;
      end if;
      return;
    end if;

    loop
      select t.send_id into in_send from send_turn t
      where t.organization_id = in_organization and t.turn_at <= moment and t.send_id <> all(tried) order by t.turn_at limit 1;
      exit when not found;
      tried := tried || in_send;
      select c.page_no into in_chunk from send s ${firstFree}
      where s.organization_id = in_organization and s.send_id = in_send and s.finished_at is null
        and s.state in ('RUNNING', 'STOPPED') and (s.not_before is null or s.not_before <= clock_timestamp());
      if found then
        is_claimed := true;
        return query select * from lease_chunk(in_organization, in_send, in_chunk, in_owner, lease_seconds);
      end if;
      next_at := next_send_turn(in_organization, in_send);
      if next_at is null then
        delete from send_turn t where t.organization_id = in_organization and t.send_id = in_send;
      elsif is_claimed or next_at > moment then
        update send_turn t set turn_at = greatest(next_at, clock_timestamp())
        where t.organization_id = in_organization and t.send_id = in_send;
      end if;
      exit when is_claimed;
    end loop;

    next_at := (select t.turn_at from send_turn t where t.organization_id = in_organization order by t.turn_at limit 1);
    if next_at is null or next_at > moment or is_claimed then
      update organization_turn t set turn_at = case when next_at is not null then greatest(next_at, clock_timestamp()) end
      where t.organization_id = in_organization;
    end if;
    if not is_claimed then
      return query select in_organization, null::uuid, null::int, null::bigint, null::text, null::date, null::uuid, null::uuid,
        null::smallint, null::boolean;
    end if;
  end $$`,
  `create function lease_chunk(in_organization uuid, in_send uuid, in_chunk int, in_owner uuid, lease_seconds float8)
  returns table (organization_id uuid, send_id uuid, page_no int, fence bigint, send_state text, period date, campaign_id uuid,
    audience_id uuid, layout smallint, waited boolean)
  language plpgsql as $$
  #variable_conflict use_column
  begin
    return query
    update send_page p set state = 'LEASED', owner = in_owner, fence = p.fence + 1,
      until = clock_timestamp() + make_interval(secs => lease_seconds)
    from send s
    where p.organization_id = in_organization and p.send_id = in_send and p.page_no = in_chunk
      and s.organization_id = in_organization and s.send_id = in_send
    returning p.organization_id, p.send_id, p.page_no, p.fence, s.state, s.period, s.campaign_id, s.audience_id, s.layout,
      s.waiting_for is not null;
  end $$`,

  // The path of the function that wrote the row may lead elsewhere.
  `create function note_turn_change() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into send_turn_change (organization_id, send_id) values (new.organization_id, new.send_id);
    return null;
  end $$`,
  `create function note_new_chunks() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into send_turn_change (organization_id, send_id)
    select distinct organization_id, send_id from made where state <> 'DONE';
    return null;
  end $$`,
  `create function note_end_check() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into send_end_check (organization_id, send_id) values (new.organization_id, new.send_id);
    return null;
  end $$`,

  withShortLocks(`
    lock table send_page, send in share row exclusive mode;
    create trigger send_changes_turn after update on send for each row
      when ((old.state, old.not_before, old.finished_at) is distinct from (new.state, new.not_before, new.finished_at))
      execute function note_turn_change();
    create trigger send_may_end after update on send for each row
      when ((old.state, old.finished_at) is distinct from (new.state, new.finished_at)) execute function note_end_check();
    create trigger empty_send_ends after insert on send for each row when (new.pages = 0) execute function note_end_check();
    create trigger chunks_made after insert on send_page referencing new table as made
      for each statement execute function note_new_chunks();
    -- It can be claimed earlier than before.
    create trigger chunk_changes_turn after update on send_page for each row
      when (new.state <> 'DONE' and (old.state <> new.state and new.state = 'READY' or old.state = 'DONE'
        or new.until < old.until or new.due_at is distinct from old.due_at))
      execute function note_turn_change();
    create trigger chunk_may_end_send after update on send_page for each row
      when (new.state = 'DONE' and (old.state <> 'DONE' or (old.deferred > 0) <> (new.deferred > 0)))
      execute function note_end_check();
    create index send_stopped on send (organization_id, send_id) where finished_at is null and state = 'STOPPED';
    create index send_page_leased on send_page (owner) where state = 'LEASED';`),
];
