import { setTimeout as pause } from 'node:timers/promises';
import type { TestSystem } from '#testing';
import type pg from 'pg';
import { withDatabase } from '../rig/system-database.js';

const diskSql = `
  create table public.disk (is_full boolean not null);
  insert into public.disk values (false);
  create function public.need_disk() returns trigger language plpgsql security definer as $$ begin
    if (select is_full from public.disk) then
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end if;
    return null;
  end $$`;

/**
 * Adds a switch, `public.disk`, that makes writes fail as on a full disk (SQLSTATE 53100) while reads work. The ring of
 * the rate limit is left out: its rows are rewritten in the room that their pages keep. Each table is locked alone, since
 * the system works meanwhile.
 */
export async function addDiskSwitch(client: pg.Client): Promise<void> {
  await client.query(diskSql);
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'rate_ring'
       and c.relnamespace = any(array['domain', 'subscriber', 'campaign', 'workflow', 'delivery']::regnamespace[])`,
  );
  for (const { name } of rows)
    await client.query(
      `create trigger need_disk before insert or update on ${name} for each statement execute function public.need_disk()`,
    );
}

/** Fails every write of the system for a while. */
export const fillDisk = (system: TestSystem, forMs: number): Promise<void> =>
  withDatabase(system, async (client) => {
    const { rowCount } = await client.query(`select from pg_class where oid = to_regclass('public.disk')`);
    if (!rowCount) await addDiskSwitch(client);
    await client.query('update public.disk set is_full = true');
    await pause(forMs);
    await client.query('update public.disk set is_full = false');
  });
