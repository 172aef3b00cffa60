import type { Args, AuditEntry, auditRequests, Data } from '#contracts';
import { createdAtOf, uuidOf, wireId } from '#database';
import type { Sql } from '#database';

type Asked = Args<(typeof auditRequests)['calls']['list_audit']>;
type Listed = Data<(typeof auditRequests)['calls']['list_audit']>['entries'];

/** Days for which entries are kept: a year, and a month to look back on it. */
export const keptDays = 400;
const atOnce = 5_000;

interface Row {
  organization_id: string;
  audit_id: string;
  token_id: string | null;
  user_id: string | null;
  session_id: string | null;
  ip: string | null;
  approved_by: string | null;
  token_name: string | null;
  approver_name: string | null;
  tool: string;
  target: string | null;
  source: AuditEntry['source'];
  outcome: string;
  request_id: string;
}

/** Calls that changed something, or were to. */
export class AuditRepository {
  constructor(private readonly sql: Sql) {}

  /** Stores entries, each once even if it arrives again. */
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

  /** The newest entries of an organization that match, with the names of their tokens. */
  async list({ organizationId, tokenId, tool, since, limit }: Asked): Promise<Listed> {
    const rows: Row[] = await this.sql.query(
      `select a.*, coalesce(u.name, t.name) as token_name, p.name as approver_name from audit_entry a
         left join api_token t on t.token_id = a.token_id left join user_account u on u.user_id = a.user_id
         left join user_account p on p.user_id = a.approved_by
       where a.organization_id = $1 and ($2::uuid is null or a.token_id = $2) and ($3::text is null or a.tool = $3)
         and ($4::timestamptz is null or a.audit_id >= uuid_floor($4)) order by a.audit_id desc limit $5`,
      [
        uuidOf('org', organizationId),
        tokenId === undefined ? null : uuidOf('tok', tokenId),
        tool ?? null,
        since ?? null,
        limit,
      ],
    );
    return rows.map((row) => ({
      id: wireId('adt', row.audit_id),
      organizationId: wireId('org', row.organization_id),
      tokenId: row.token_id === null ? null : wireId('tok', row.token_id),
      actor:
        row.user_id !== null
          ? { kind: 'USER' as const, id: wireId('usr', row.user_id) }
          : { kind: 'TOKEN' as const, id: row.token_id === null ? '' : wireId('tok', row.token_id) },
      sessionId: row.session_id === null ? null : wireId('ses', row.session_id),
      ip: row.ip,
      approvedBy: row.approved_by === null ? null : wireId('usr', row.approved_by),
      approverName: row.approver_name,
      tokenName: row.token_name,
      tool: row.tool,
      target: row.target,
      source: row.source,
      outcome: row.outcome,
      requestId: row.request_id,
      at: createdAtOf(row.audit_id).toISOString(),
    }));
  }

  /** Deletes some old entries. @returns how many */
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
