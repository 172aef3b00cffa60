import { setTimeout as pause } from 'node:timers/promises';
import type { TestSystem } from '#testing';
import { withDatabase } from '../rig/system-database.js';

/**
 * A switch that makes writes fail as on a full disk (SQLSTATE 53100) while reads work. The ring of the rate limit is
 * left out: its rows are rewritten in the room that their pages keep.
 */
export const fullDiskSql = `
  create table public.disk (is_full boolean not null);
  insert into public.disk values (false);
  create function public.need_disk() returns trigger language plpgsql security definer as $$ begin
    if (select is_full from public.disk) then
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end if;
    return null;
  end $$;
  do $$ declare t regclass; begin
    for t in select c.oid from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'rate_ring'
      and c.relnamespace = any(array['domain', 'subscriber', 'campaign', 'workflow', 'delivery']::regnamespace[])
    loop
      execute format('create trigger need_disk before insert or update on %s for each statement execute function public.need_disk()', t);
    end loop;
  end $$;`;

/** Fails every write of the system for a while. */
export const fillDisk = (system: TestSystem, forMs: number): Promise<void> =>
  withDatabase(system, async (client) => {
    const { rowCount } = await client.query(`select from pg_class where oid = to_regclass('public.disk')`);
    if (!rowCount) await client.query(fullDiskSql);
    await client.query('update public.disk set is_full = true');
    await pause(forMs);
    await client.query('update public.disk set is_full = false');
  });
