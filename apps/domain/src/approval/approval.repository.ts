import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { SecretBox } from '#link-token';
import type { Outcome } from '#tool-call';
import { keptDays } from '../audit/audit.repository.js';
import type { ApprovalState, ApprovedContent, AskedCall, StoredApproval } from './approval.js';

const atOnce = 1_000;

interface Row {
  organization_id: string;
  approval_id: string;
  token_id: string | null;
  user_id: string | null;
  asker: string | null;
  request_hash: string;
  call_id: string | null;
  tool: string;
  action: string;
  message: string;
  subject: StoredApproval['subject'];
  content_hash: string | null;
  sealed: Buffer | null;
  sealed_text: Buffer | null;
  outcome: Buffer | null;
  state: ApprovalState;
  expires_at: Date | null;
  decided_at: Date | null;
  decided_by: string | null;
  decider: string | null;
  decided_scopes: string[] | null;
  note: string | null;
}

const selected = `select a.organization_id, a.approval_id, a.token_id, a.user_id, coalesce(u.name, t.name) as asker,
    a.request_hash, a.call_id, a.tool, a.action, a.message, a.subject, a.content_hash, a.sealed, a.sealed_text, a.outcome, a.decided_at,
    a.decided_by, d.name as decider, a.decided_scopes, a.note, a.expires_at,
    case when a.state = 'PENDING' and a.expires_at <= clock_timestamp() then 'EXPIRED' else a.state end as state
  from approval a left join api_token t on t.token_id = a.token_id left join user_account u on u.user_id = a.user_id
    left join user_account d on d.user_id = a.decided_by`;

type SealedText = Pick<StoredApproval, 'message' | 'subject'>;

export type NewApproval = Pick<StoredApproval, 'tool' | 'action' | 'message' | 'subject' | 'contentHash' | 'content'>;

export class ApprovalRepository {
  constructor(
    private readonly sql: Sql,
    private readonly box: SecretBox,
  ) {}

  /** Serializes requests of one organization for approvals until their transactions end. */
  async lock(organizationId: string): Promise<void> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`approvals ${organizationId}`]);
  }

  /** The newest approval of a call, in force or not. @returns null when none was ever requested */
  async findNewest(organizationId: string, { actor, requestHash }: AskedCall): Promise<StoredApproval | null> {
    const rows: Row[] = await this.sql.query(
      `${selected} where a.organization_id = $1 and coalesce(a.user_id, a.token_id) = $2 and a.request_hash = $3
       order by a.approval_id desc limit 1`,
      [uuidOf('org', organizationId), actorUuid(actor), requestHash],
    );
    return rows[0] ? this.#approvalOf(rows[0]) : null;
  }

  async findById(approvalId: string): Promise<StoredApproval | null> {
    const rows: Row[] = await this.sql.query(`${selected} where a.approval_id = $1`, [uuidOf('apr', approvalId)]);
    return rows[0] ? this.#approvalOf(rows[0]) : null;
  }

  async insert(organizationId: string, call: AskedCall, asked: NewApproval, hours: number): Promise<StoredApproval> {
    const id = newUuid();
    const { actor } = call;
    await this.sql.query(
      `insert into approval (organization_id, approval_id, token_id, user_id, request_hash, call_id, tool, action, message,
         content_hash, sealed, sealed_text, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, '', $9, $10, $11, clock_timestamp() + make_interval(hours => $12))`,
      [
        uuidOf('org', organizationId),
        id,
        actor.kind === 'TOKEN' ? actorUuid(actor) : null,
        actor.kind === 'USER' ? actorUuid(actor) : null,
        call.requestHash,
        call.callId,
        ...this.#contentOf(id, asked),
        hours,
      ],
    );
    return (await this.findById(wireId('apr', id)))!;
  }

  /** Replaces what a waiting approval shows, since it would do something else now. */
  async updateContent(approvalId: string, asked: NewApproval): Promise<void> {
    const id = uuidOf('apr', approvalId)!;
    await this.sql.query(
      `update approval set tool = $2, action = $3, message = '', subject = null, content_hash = $4, sealed = $5,
         sealed_text = $6 where approval_id = $1 and state = 'PENDING'`,
      [id, ...this.#contentOf(id, asked)],
    );
  }

  async countPending(organizationId: string, { actor }: Pick<AskedCall, 'actor'>) {
    const rows: { organization: number; asker: number }[] = await this.sql.query(
      `select count(*)::int as organization, (count(*) filter (where coalesce(user_id, token_id) = $2))::int as asker
       from approval where organization_id = $1 and state = 'PENDING' and expires_at > clock_timestamp()`,
      [uuidOf('org', organizationId), actorUuid(actor)],
    );
    return rows[0]!;
  }

  /** A page of approvals, the newest first. @param asker null for those of all askers */
  async list(
    organizationId: string,
    page: { states: readonly ApprovalState[]; asker: AskedCall['actor'] | null; before: string | null; limit: number },
  ): Promise<StoredApproval[]> {
    const rows: Row[] = await this.sql.query(
      `select * from (${selected} where a.organization_id = $1 and ($2::uuid is null or coalesce(a.user_id, a.token_id) = $2)
         and ($3::uuid is null or a.approval_id < $3)) a where cardinality($4::text[]) = 0 or state = any($4)
       order by approval_id desc limit $5`,
      [
        uuidOf('org', organizationId),
        page.asker && actorUuid(page.asker),
        page.before === null ? null : uuidOf('apr', page.before),
        page.states,
        page.limit,
      ],
    );
    return rows.map((row) => this.#approvalOf(row));
  }

  /** Withdraws what a member, and their PERSONAL tokens, asked for in an organization. */
  async updateWithdrawn(organizationId: string, userId: string): Promise<void> {
    await this.sql.query(
      `update approval set state = 'WITHDRAWN', decided_at = clock_timestamp()
       where organization_id = $1 and state = 'PENDING' and (user_id = $2 or token_id in (
         select token_id from api_token where organization_id = $1 and user_id = $2))`,
      [uuidOf('org', organizationId), uuidOf('usr', userId)],
    );
  }

  /** Moves a waiting approval on. @returns false when it was decided already, or is over */
  async updateDecided(
    approvalId: string,
    decision: { state: ApprovalState; by: string | null; scopes?: readonly string[]; note?: string | undefined },
  ): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update approval set state = $2, decided_at = clock_timestamp(), decided_by = $3, decided_scopes = $4, note = $5
       where approval_id = $1 and state = 'PENDING' and expires_at > clock_timestamp() returning 1`,
      [
        uuidOf('apr', approvalId),
        decision.state,
        decision.by === null ? null : uuidOf('usr', decision.by),
        decision.scopes ?? null,
        decision.note ?? null,
      ],
    );
    return rows.length > 0;
  }

  /** Stores the outcome of an approved call. @returns false when it has one already */
  async updateOutcome(approvalId: string, outcome: Outcome): Promise<boolean> {
    const id = uuidOf('apr', approvalId)!;
    const [rows]: [unknown[]] = await this.sql.query(
      `update approval set state = $2, outcome = $3 where approval_id = $1 and state = 'EXECUTING' returning 1`,
      [id, outcome.ok ? 'EXECUTED' : 'FAILED', this.box.seal(JSON.stringify(outcome), `${id} outcome`)],
    );
    return rows.length > 0;
  }

  /** Approved calls that were not carried out within some seconds, for example since their process ended. */
  async listStalled(seconds: number): Promise<StoredApproval[]> {
    const rows: Row[] = await this.sql.query(
      `${selected} where a.state = 'EXECUTING' and a.decided_at < clock_timestamp() - make_interval(secs => $1)
       order by a.decided_at limit 100`,
      [seconds],
    );
    return rows.map((row) => this.#approvalOf(row));
  }

  /** Takes contents of decisions older than 30 days away. @returns how many */
  async deleteContents(): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update approval set sealed = null, outcome = null where approval_id in (
         select approval_id from approval where sealed is not null and expires_at < clock_timestamp() - interval '30 days'
           and coalesce(decided_at, expires_at) < clock_timestamp() - interval '30 days' limit $1) returning 1`,
      [atOnce],
    );
    return rows.length;
  }

  async deleteOld(): Promise<number> {
    const [, gone] = await this.sql.query<[unknown[], number]>(
      `delete from approval where approval_id in (
         select approval_id from approval where approval_id < uuid_floor(clock_timestamp() - make_interval(days => $1))
         order by approval_id limit $2)`,
      [keptDays, atOnce],
    );
    return gone;
  }

  #contentOf(id: string, { tool, action, message, subject, contentHash, content }: NewApproval): unknown[] {
    const sealed = this.box.seal(JSON.stringify(content), id);
    // The sentence and the name are made of parameters; they stay as long as the approval does.
    const text = this.box.seal(JSON.stringify({ message, subject } satisfies SealedText), `${id} text`);
    return [tool, action, contentHash, sealed, text];
  }

  #approvalOf(row: Row): StoredApproval {
    const { approval_id: id, sealed, sealed_text: sealedText, outcome } = row;
    const text = sealedText ? (JSON.parse(this.box.open(sealedText, `${id} text`)) as SealedText) : row;
    const askedAt = createdAtOf(id);
    const empty: ApprovedContent = { parameters: {}, facts: [], preview: null, diff: [] };
    return {
      id: wireId('apr', id),
      organizationId: wireId('org', row.organization_id),
      asker: {
        ...(row.user_id === null
          ? { kind: 'TOKEN' as const, id: wireId('tok', row.token_id!) }
          : { kind: 'USER' as const, id: wireId('usr', row.user_id) }),
        name: row.asker ?? 'a former member',
      },
      requestHash: row.request_hash,
      callId: row.call_id,
      tool: row.tool,
      action: row.action,
      message: text.message,
      subject: text.subject,
      contentHash: row.content_hash ?? '',
      content: sealed ? (JSON.parse(this.box.open(sealed, id)) as ApprovedContent) : empty,
      state: row.state,
      askedAt,
      expiresAt: row.expires_at ?? askedAt,
      decidedAt: row.decided_at,
      decidedBy: row.decided_by === null ? null : { id: wireId('usr', row.decided_by), name: row.decider ?? '' },
      decidedScopes: row.decided_scopes ?? [],
      note: row.note,
      outcome: outcome ? (JSON.parse(this.box.open(outcome, `${id} outcome`)) as Outcome) : null,
    };
  }
}

const actorUuid = ({ kind, id }: AskedCall['actor']): string | null => uuidOf(kind === 'USER' ? 'usr' : 'tok', id);
