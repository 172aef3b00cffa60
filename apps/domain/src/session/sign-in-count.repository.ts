import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';

/** Failures within ten minutes after which further attempts wait. */
const failuresMax = { account: 10, address: 30, device: 10 } as const;
const windowMinutes = 10;
/** The wait doubles from one second with each further failure. */
const waitSecondsMax = 60;

/** Who attempts: an account from an address, or from a browser that signed in to the account before. */
export interface Attempt {
  /** The account's address; null for links, which are counted by address only. */
  emailKey: string | null;
  ip: string;
  device: string | null;
  /** The user whose second factor is tried. Its failures are counted apart: the right password does not end them. */
  factorOf?: string;
}

/** Counts failed attempts by account, address and known browser, and slows further ones. */
export class SignInCountRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Counts an attempt as failed before it is tried, so that simultaneous attempts do not pass together.
   * @throws ToolError SIGN_IN_SLOWED with the instant from which the next attempt is accepted
   */
  async begin(attempt: Attempt): Promise<void> {
    const counters = countersOf(attempt);
    const rows: { retry_at: Date | null }[] = await this.sql.query(
      `select max(retry_at) as retry_at from sign_in_count
       where key = any($1) and retry_at > clock_timestamp() and since > clock_timestamp() - interval '${windowMinutes} minutes'`,
      [counters.map(({ key }) => key)],
    );
    const retryAt = rows[0]?.retry_at;
    if (retryAt) throw new ToolError('SIGN_IN_SLOWED', {}, { retryAt });
    await this.sql.query(
      `insert into sign_in_count as c (key, since, failures, retry_at)
       select key, clock_timestamp(), 1, clock_timestamp() from unnest($1::text[], $2::int[]) as n(key, most)
       on conflict (key) do update set
         since = case when c.since < excluded.since - interval '${windowMinutes} minutes' then excluded.since else c.since end,
         failures = case when c.since < excluded.since - interval '${windowMinutes} minutes' then 1 else c.failures + 1 end,
         retry_at = clock_timestamp() + case
           when c.since < excluded.since - interval '${windowMinutes} minutes' then interval '0'
           else make_interval(secs => least(${waitSecondsMax}, floor(power(2, least(10, c.failures + 1 - (
             select most from unnest($1::text[], $2::int[]) as n(key, most) where n.key = c.key)))))) end`,
      [counters.map(({ key }) => key), counters.map(({ most }) => most)],
    );
  }

  /** The attempt succeeded: its account or browser starts afresh, and its address gets the attempt back. */
  async succeed(attempt: Attempt): Promise<void> {
    const counters = countersOf(attempt);
    await this.sql.query(
      `update sign_in_count set retry_at = clock_timestamp(),
         failures = case when key like 'address:%' then greatest(0, failures - 1) else 0 end where key = any($1)`,
      [counters.map(({ key }) => key)],
    );
  }

  async deleteOld(): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `delete from sign_in_count where key in (
         select key from sign_in_count where since < clock_timestamp() - interval '1 hour' limit 5000) returning 1`,
    );
    return rows.length;
  }
}

/** Sorted, so that attempts lock in one order. */
function countersOf({ emailKey, ip, device, factorOf }: Attempt): { key: string; most: number }[] {
  if (factorOf !== undefined) {
    const browser = device === null ? '' : `:${device}`;
    return [{ key: `factor:${factorOf}${browser}`, most: failuresMax.account }];
  }
  if (device !== null) return [{ key: `device:${device}`, most: failuresMax.device }];
  const address = { key: `address:${networkOf(ip)}`, most: failuresMax.address };
  return emailKey === null ? [address] : [{ key: `account:${digest(emailKey)}`, most: failuresMax.account }, address];
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An IPv4 address, or the /64 of an IPv6 address, which one customer usually has whole. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped) return mapped[1]!;
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
