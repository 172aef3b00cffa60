/**
 * SQL: statements that need a lock on a table in use, for a migration. They wait at most 200 ms for it, since others wait
 * behind them, and try again 200 ms later, 300 times. All of them are executed, or none.
 * @param statements separated by semicolons, with one at the end
 */
export const withShortLocks = (statements: string): string => `do $$ begin
    for attempt in 1 .. 300 loop
      begin
        set local lock_timeout to '200ms';
        ${statements}
        exit;
      exception when lock_not_available then
        if attempt = 300 then raise; end if;
        perform pg_sleep(0.2);
      end;
    end loop;
    set local lock_timeout to default;
  end $$`;
