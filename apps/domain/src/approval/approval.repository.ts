import type { Approval } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { keptDays } from '../audit/audit.repository.js';
import { endOf } from './approval.js';

const atOnce = 1_000;

/** A call, identified by its token and its exact request. */
export interface ApprovedCall {
  organizationId: string;
  tokenId: string;
  requestHash: string;
}

interface Row {
  organization_id: string;
  approval_id: string;
  token_id: string;
  token_name: string;
  tool: string;
  action: string;
  message: string;
  state: Approval['state'];
  decided_at: Date | null;
}

function approvalOf(row: Row): Approval {
  const askedAt = createdAtOf(row.approval_id);
  return {
    id: wireId('apr', row.approval_id),
    organizationId: wireId('org', row.organization_id),
    tokenId: wireId('tok', row.token_id),
    tokenName: row.token_name,
    tool: row.tool,
    action: row.action,
    message: row.message,
    state: row.state,
    askedAt: askedAt.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
    expiresAt: endOf({ state: row.state, askedAt, decidedAt: row.decided_at }).toISOString(),
  };
}

const selected = `select a.organization_id, a.approval_id, a.token_id, t.name as token_name, a.tool, a.action, a.message,
  a.state, a.decided_at from approval a join api_token t on t.token_id = a.token_id`;

/** Calls that wait for a person's approval, and the decisions on them. */
export class ApprovalRepository {
  constructor(private readonly sql: Sql) {}

  /** Serializes requests for the same call until their transactions end. */
  async lock({ tokenId, requestHash }: ApprovedCall): Promise<void> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `approval ${tokenId} ${requestHash}`,
    ]);
  }

  /** The newest approval of a call, expired or not. @returns null when none was ever requested */
  async findNewest({ organizationId, tokenId, requestHash }: ApprovedCall): Promise<Approval | null> {
    const rows: Row[] = await this.sql.query(
      `${selected} where a.organization_id = $1 and a.token_id = $2 and a.request_hash = $3 order by a.approval_id desc limit 1`,
      [uuidOf('org', organizationId), uuidOf('tok', tokenId), requestHash],
    );
    return rows[0] ? approvalOf(rows[0]) : null;
  }

  /** @returns null for no approval's id */
  async findById(approvalId: string): Promise<Approval | null> {
    const rows: Row[] = await this.sql.query(`${selected} where a.approval_id = $1`, [uuidOf('apr', approvalId)]);
    return rows[0] ? approvalOf(rows[0]) : null;
  }

  /** Asks for an approval. */
  async insert(call: ApprovedCall, asked: Pick<Approval, 'tool' | 'action' | 'message'>): Promise<Approval> {
    const id = newUuid();
    await this.sql.query(
      `insert into approval (organization_id, approval_id, token_id, request_hash, tool, action, message)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        uuidOf('org', call.organizationId),
        id,
        uuidOf('tok', call.tokenId),
        call.requestHash,
        asked.tool,
        asked.action,
        asked.message,
      ],
    );
    return (await this.findById(wireId('apr', id)))!;
  }

  /** Undecided approvals, the oldest first, at most 1,000; a null organization is all. */
  async listOpen(organizationId: string | null): Promise<Approval[]> {
    const rows: Row[] = await this.sql.query(
      `${selected} where a.state = 'PENDING' and a.approval_id > uuid_floor(clock_timestamp() - interval '1 day')
         and ($1::uuid is null or a.organization_id = $1) order by a.approval_id limit 1000`,
      [organizationId === null ? null : uuidOf('org', organizationId)],
    );
    return rows.map(approvalOf);
  }

  /** Stores a decision. @returns false when it was decided already, or its day is over */
  async updateDecided(approvalId: string, approved: boolean, now: Date): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update approval set state = $2, decided_at = $3 where approval_id = $1 and state = 'PENDING'
         and approval_id > uuid_floor(clock_timestamp() - interval '1 day') returning 1`,
      [uuidOf('apr', approvalId), approved ? 'APPROVED' : 'REJECTED', now],
    );
    return rows.length > 0;
  }

  /** Deletes some approvals older than the audit log. @returns how many */
  async deleteOld(): Promise<number> {
    const [, gone] = await this.sql.query<[unknown[], number]>(
      `delete from approval where approval_id in (
         select approval_id from approval where approval_id < uuid_floor(clock_timestamp() - make_interval(days => $1))
         order by approval_id limit $2)`,
      [keptDays, atOnce],
    );
    return gone;
  }
}
