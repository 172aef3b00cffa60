import type { AuditEntry } from '#contracts';
import { createdAtOf, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { AuditFilter, ListedEntry } from './audit.js';

interface AuditPage {
  before: string | null;
  limit: number;
}

/** Days for which entries are kept: a year, and a month to look back on it. */
export const keptDays = 400;
/** Days for which entries keep the addresses of clients. */
const addressDays = 90;
const atOnce = 5_000;

interface Row {
  organization_id: string;
  audit_id: string;
  token_id: string | null;
  user_id: string | null;
  session_id: string | null;
  ip: string | null;
  approved_by: string | null;
  actor_name: string | null;
  approver_name: string | null;
  tool: string;
  target: string | null;
  source: AuditEntry['source'];
  outcome: string;
  request_id: string;
}

const entryOf = (row: Row): ListedEntry => ({
  id: wireId('adt', row.audit_id),
  at: createdAtOf(row.audit_id).toISOString(),
  actor: { ...actorOf(row), name: row.actor_name },
  tool: row.tool,
  target: row.target,
  source: row.source,
  outcome: row.outcome,
  requestId: row.request_id,
  sessionId: row.session_id === null ? null : wireId('ses', row.session_id),
  ip: row.ip,
  approvedBy: row.approved_by === null ? null : { id: wireId('usr', row.approved_by), name: row.approver_name },
});

/** A call that neither a token nor a user made is the operator's command. */
function actorOf({ user_id, token_id }: Row): { kind: 'USER' | 'TOKEN' | 'OPERATOR'; id: string } {
  if (user_id !== null) return { kind: 'USER', id: wireId('usr', user_id) };
  return token_id === null ? { kind: 'OPERATOR', id: 'operator' } : { kind: 'TOKEN', id: wireId('tok', token_id) };
}

export class AuditRepository {
  constructor(private readonly sql: Sql) {}

  async insert(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.sql.query(
      `insert into audit_entry (organization_id, audit_id, token_id, tool, target, source, outcome, request_id,
         user_id, session_id, ip, approved_by)
       select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::uuid[], $10::uuid[], $11::text[], $12::uuid[])
       on conflict do nothing`,
      [
        entries.map(({ organizationId }) => uuidOf('org', organizationId)),
        entries.map(({ id }) => uuidOf('adt', id)),
        entries.map(({ tokenId }) => uuidOf('tok', tokenId)),
        entries.map(({ tool }) => tool),
        entries.map(({ target }) => target?.replaceAll('\0', '') ?? null),
        entries.map(({ source }) => source),
        entries.map(({ outcome }) => outcome),
        entries.map(({ requestId }) => requestId.replaceAll('\0', '')),
        entries.map(({ actor }) => (actor?.kind === 'USER' ? uuidOf('usr', actor.id) : null)),
        entries.map(({ sessionId }) => uuidOf('ses', sessionId)),
        entries.map(({ ip }) => ip ?? null),
        entries.map(({ approvedBy }) => uuidOf('usr', approvedBy)),
      ],
    );
  }

  /** The newest entries of an organization that match, with the names of their actors. */
  async list(organizationId: string, filter: AuditFilter, { before, limit }: AuditPage): Promise<ListedEntry[]> {
    const actor = filter.actorId;
    const rows: Row[] = await this.sql.query(
      `select a.*, coalesce(u.name, t.name) as actor_name, p.name as approver_name from audit_entry a
         left join api_token t on t.token_id = a.token_id left join user_account u on u.user_id = a.user_id
         left join user_account p on p.user_id = a.approved_by
       where a.organization_id = $1 and (not $2 or a.token_id = $3 or a.user_id = $4)
         and ($5::text is null or a.tool = $5) and ($6::text is null or a.target = $6)
         and ($7::text is null or a.outcome = $7) and ($8::text is null or a.source = $8)
         and ($9::timestamptz is null or a.audit_id >= uuid_floor($9))
         and ($10::timestamptz is null or a.audit_id < uuid_floor($10))
         and ($11::uuid is null or a.audit_id < $11) order by a.audit_id desc limit $12`,
      [
        uuidOf('org', organizationId),
        actor !== undefined,
        uuidOf('tok', actor),
        uuidOf('usr', actor),
        filter.tool ?? null,
        filter.target ?? null,
        filter.outcome ?? null,
        filter.source ?? null,
        filter.since ?? null,
        filter.until ?? null,
        before === null ? null : uuidOf('adt', before),
        limit,
      ],
    );
    return rows.map(entryOf);
  }

  /** Removes the addresses of clients from some entries that are older than 90 days. @returns from how many */
  async deleteAddresses(): Promise<number> {
    const [, gone] = await this.sql.query<[unknown[], number]>(
      `update audit_entry set ip = null where (organization_id, audit_id) in (
         select organization_id, audit_id from audit_entry
         where ip is not null and audit_id < uuid_floor(clock_timestamp() - make_interval(days => $1))
         order by audit_id limit $2)`,
      [addressDays, atOnce],
    );
    return gone;
  }

  async deleteOld(): Promise<number> {
    const [, gone] = await this.sql.query<[unknown[], number]>(
      `delete from audit_entry where (organization_id, audit_id) in (
         select organization_id, audit_id from audit_entry
         where audit_id < uuid_floor(clock_timestamp() - make_interval(days => $1)) order by audit_id limit $2)`,
      [keptDays, atOnce],
    );
    return gone;
  }
}
