import { uuidOf } from '#database';
import type { Sql } from '#database';
import type { GuardedMailbox } from '../message/address-hash.js';

/*
 * The recipient guard (API text, Sending) limits how many messages one organization sends to one mailbox: 5 in 10 minutes
 * and 20 in 24 hours. It counts every message accepted for a real mailbox; test addresses are exempt. The limits are in the
 * functions of the schema that decide, `take_guard`, `guard_opens` and `commit_chunks`.
 */

/**
 * SQL: counts one message for each mailbox below its limits, and returns those mailboxes. Parallel calls never overshoot.
 * @param mailboxes a query of (organization_id, mailbox, hash); `hash` by `HashMailbox`
 */
export const takeGuardSql = (mailboxes: string): string => `
  select taken.organization_id, taken.mailbox
  from (select array_agg(organization_id) as o, array_agg(mailbox) as m, array_agg(hash) as h from (${mailboxes}) asked) a
  cross join lateral take_guard(a.o, a.m, a.h) taken`;

/** SQL: when a mailbox that was refused may get its next message. The parameters are expressions of its three names. */
export const guardOpensSql = (organization: string, mailbox: string, hash: string): string =>
  `coalesce(guard_opens(mailbox_times(${organization}, ${mailbox}, ${hash})), clock_timestamp() + interval '1 second')`;

/** The rows of the guard: a mailbox each, with the instants of its messages that are not in the ledger. */
export class RecipientGuardRepository {
  constructor(private readonly sql: Sql) {}

  async isOpen(organizationId: string, { key, hash }: GuardedMailbox): Promise<boolean> {
    const [row]: { open: boolean }[] = await this.sql.query(
      `select guard_opens(mailbox_times($1, $2, $3)) is null as open`,
      [uuidOf('org', organizationId), key, hash],
    );
    return row!.open;
  }

  /** Deletes mailboxes without a message within the long window, at most 10,000 at a time. @returns how many */
  async deleteOld(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with gone as (delete from recipient_guard where ctid in (
         select ctid from recipient_guard where sent_at[cardinality(sent_at)] < clock_timestamp() - interval '24 hours'
         limit 10000)
       returning 1) select count(*)::int as n from gone`,
    );
    return rows[0]!.n;
  }
}
