import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What filters by campaign and numbers of engagement are read from. */
export class CreateReading1700000000160 implements MigrationInterface {
  name = 'CreateReading1700000000160';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

/** Counts people by the day of their last engagement and of their last email: what a day loses another one gains. */
const countDays = (name: string, sides: readonly { table: string; sign: string }[]) =>
  `create function ${name}() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into tally_delta (organization_id, metric, key, day, n)
    select organization_id, metric, '', day, sum(n) from (
      ${sides
        .map(
          ({ table, sign }) => `select organization_id, 'engaged' as metric,
            (greatest(last_opened_at, last_clicked_at) at time zone 'UTC')::date as day, ${sign}1 as n from ${table}
          union all select organization_id, 'emailed', (last_emailed_at at time zone 'UTC')::date, ${sign}1 from ${table}`,
        )
        .join(' union all ')}) d
    where day is not null group by 1, 2, 4 having sum(n) <> 0;
    return null;
  end $$`;

const statements = [
  // Filters with a window ask for the last time; the first stays what it is. Links are asked of the history.
  `alter table subscriber_campaign add column last_opened_at timestamptz(3), add column last_clicked_at timestamptz(3)`,
  `update subscriber_campaign set last_opened_at = opened_at, last_clicked_at = clicked_at where opened_at is not null`,

  // Statement triggers see all rows at once: one addition per batch of events. The table itself counts, since only the
  // row has a subscriber's last day, for every writer and every order of events.
  countDays('count_first_days', [{ table: 'made', sign: '' }]),
  countDays('count_changed_days', [
    { table: 'was', sign: '-' },
    { table: 'made', sign: '' },
  ]),
  countDays('count_gone_days', [{ table: 'was', sign: '-' }]),
  `create trigger activity_made after insert on subscriber_activity referencing new table as made
    for each statement execute function count_first_days()`,
  `create trigger activity_changed after update on subscriber_activity referencing old table as was new table as made
    for each statement execute function count_changed_days()`,
  `create trigger activity_gone after delete on subscriber_activity referencing old table as was
    for each statement execute function count_gone_days()`,
  `insert into tally_delta (organization_id, metric, key, day, n)
    select organization_id, 'engaged', '', (greatest(last_opened_at, last_clicked_at) at time zone 'UTC')::date, count(*)
    from subscriber_activity where coalesce(last_opened_at, last_clicked_at) is not null group by 1, 4`,
  `insert into tally_delta (organization_id, metric, key, day, n)
    select organization_id, 'emailed', '', (last_emailed_at at time zone 'UTC')::date, count(*)
    from subscriber_activity where last_emailed_at is not null group by 1, 4`,
];
