import type { ServiceBus } from '#bus';
import { serviceCaller } from '#bus';
import { catalogue, isAtLeast, permits, rightsOf, scopeOf } from '#contracts';
import type { Scope } from '#contracts';
import { newId } from '#database';
import { boundsOf, RemoteFailure, requestHash, ToolError } from '#tool-call';
import type { Caller, Description, Outcome } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import { isInForce, parametersBytesMax, pendingMax } from './approval.js';
import type { ApprovedContent, AskedCall, StoredApproval } from './approval.js';
import type { NewApproval } from './approval.repository.js';

export interface ApprovalDependencies {
  /** Outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  bus: ServiceBus;
}

/** Who decides: a user with the scope `approve`, or the operator. */
export interface Decider {
  userId: string | null;
  scopes: readonly Scope[];
}

/** An approved call that was not carried out after this many seconds is taken up again. */
const stalledSeconds = 30;
const executeMs = 25_000;

/** Keeps calls that need a person, and carries out those that are approved (CONTRACT-PEOPLE, section 2). */
export class ApprovalService {
  constructor(private readonly dependencies: ApprovalDependencies) {}

  /** The approval that answers a call now. @returns null when the call must ask */
  async find(organizationId: string, call: AskedCall, now: Date): Promise<StoredApproval | null> {
    const newest = await this.dependencies.repositories.approvals.findNewest(organizationId, call);
    return newest && isInForce(newest, call.callId, now) ? newest : null;
  }

  /**
   * Asks for an approval; while one is in force, it is that one. Runs within the call's transaction.
   * @throws ToolError APPROVAL_TOO_LARGE, APPROVALS_TOO_MANY
   */
  async ask(
    organizationId: string,
    call: AskedCall,
    asked: { tool: string; parameters: Record<string, unknown> } & Description,
    now: Date,
  ): Promise<StoredApproval> {
    const { approvals, organizations } = this.dependencies.repositories;
    if (Buffer.byteLength(JSON.stringify(asked.parameters)) > parametersBytesMax)
      throw new ToolError('APPROVAL_TOO_LARGE', { bytesMax: parametersBytesMax });
    await approvals.lock(organizationId);
    const known = await this.find(organizationId, call, now);
    if (known) return known;
    const pending = await approvals.countPending(organizationId, call);
    if (pending.organization >= pendingMax.organization)
      throw new ToolError('APPROVALS_TOO_MANY', { limit: pendingMax.organization, whose: 'the organization' });
    if (pending.asker >= pendingMax.asker)
      throw new ToolError('APPROVALS_TOO_MANY', { limit: pendingMax.asker, whose: 'this caller' });
    const { approvalHours } = await organizations.getSettings(organizationId);
    return await approvals.insert(
      organizationId,
      call,
      approvalFrom(asked.tool, asked.parameters, asked),
      approvalHours,
    );
  }

  /**
   * Rejects a call.
   * @throws ToolError APPROVAL_NOT_FOUND, APPROVAL_DECIDED
   */
  async reject(approvalId: string, { userId }: Decider, note?: string): Promise<StoredApproval> {
    await this.#move(approvalId, { state: 'REJECTED', by: userId, note });
    return (await this.#load(approvalId))!;
  }

  /** @throws ToolError APPROVAL_NOT_FOUND unless the caller asked for it, APPROVAL_DECIDED */
  async withdraw(approvalId: string, { actor, organizationId }: Caller): Promise<void> {
    const approval = await this.#load(approvalId, organizationId);
    if (!approval || approval.asker.id !== actor?.id) throw new ToolError('APPROVAL_NOT_FOUND', { id: approvalId });
    await this.#move(approvalId, { state: 'WITHDRAWN', by: null });
  }

  /**
   * Approves a call and carries it out.
   * @param seen the hash of the content that the decider saw; null for the operator, who sees the sentence
   * @throws ToolError APPROVAL_NOT_FOUND, APPROVAL_DECIDED, APPROVAL_CHANGED, ASKER_GONE
   */
  async approve(approval: StoredApproval, decider: Decider, seen: string | null, note?: string) {
    if (approval.state !== 'PENDING') throw decided(approval);
    if (seen !== null && seen !== approval.contentHash)
      throw new ToolError('APPROVAL_CHANGED', { contentHash: approval.contentHash });
    await this.#assertAskerInForce(approval);
    const refusal = await this.#findChange(approval);
    await this.#move(approval.id, { state: 'EXECUTING', by: decider.userId, scopes: decider.scopes, note });
    const moved = (await this.#load(approval.id))!;
    if (refusal) await this.#finish(moved, refusal);
    else await this.#execute(moved);
    return (await this.#load(approval.id))!;
  }

  /** Carries out approved calls whose process ended before. @returns how many */
  async resume(): Promise<number> {
    const stalled = await this.dependencies.repositories.approvals.listStalled(stalledSeconds);
    for (const approval of stalled) await this.#execute(approval);
    return stalled.length;
  }

  async #load(approvalId: string, organizationId?: string): Promise<StoredApproval | null> {
    const approval = await this.dependencies.repositories.approvals.findById(approvalId);
    return organizationId === undefined || approval?.organizationId === organizationId ? approval : null;
  }

  /** Of several decisions at once, one succeeds. */
  async #move(approvalId: string, decision: Parameters<Repositories['approvals']['updateDecided']>[1]): Promise<void> {
    const moved = await this.dependencies.inTransaction(({ approvals }) =>
      approvals.updateDecided(approvalId, decision),
    );
    if (moved) return;
    const approval = await this.#load(approvalId);
    throw approval ? decided(approval) : new ToolError('APPROVAL_NOT_FOUND', { id: approvalId });
  }

  async #assertAskerInForce({ asker, organizationId }: StoredApproval): Promise<void> {
    const { tokens, members } = this.dependencies.repositories;
    const inForce =
      asker.kind === 'TOKEN'
        ? await tokens.isInForce(asker.id)
        : isAtLeast((await members.find(organizationId, asker.id))?.role ?? 'viewer', 'editor');
    if (!inForce) throw new ToolError('ASKER_GONE', { name: asker.name });
  }

  /**
   * Describes the call again: what was seen must be what is carried out.
   * @returns the refusal of a call that is not possible any more; null when nothing changed
   * @throws ToolError APPROVAL_CHANGED
   */
  async #findChange(approval: StoredApproval): Promise<Outcome | null> {
    const outcome = await this.#ask('describe', approval, null);
    if (!outcome.ok && isPassing(outcome)) throw new RemoteFailure(outcome.error);
    if (!outcome.ok) return outcome;
    const now = approvalFrom(approval.tool, approval.content.parameters, outcome.data as Description);
    if (now.contentHash === approval.contentHash) return null;
    await this.dependencies.inTransaction(({ approvals }) => approvals.updateContent(approval.id, now));
    throw new ToolError('APPROVAL_CHANGED', { contentHash: now.contentHash });
  }

  /** Executes a call under an id of its approval, so that it has its effect once however often this runs. */
  async #execute(approval: StoredApproval): Promise<void> {
    const outcome = await this.#ask('tools', approval, `approved:${approval.id}`);
    // The job takes it up again.
    if (!outcome.ok && isPassing(outcome)) return;
    await this.#finish(approval, outcome);
  }

  async #finish(approval: StoredApproval, outcome: Outcome): Promise<void> {
    await this.dependencies.inTransaction(async ({ approvals, audit }) => {
      await approvals.updateOutcome(approval.id, outcome);
      const { asker, organizationId, tool, subject, decidedBy } = approval;
      await audit.insert([
        {
          id: newId('adt'),
          organizationId,
          tokenId: asker.kind === 'TOKEN' ? asker.id : null,
          actor: { kind: asker.kind, id: asker.id },
          tool,
          target: subject?.id ?? subject?.name ?? null,
          source: 'tools',
          outcome: outcome.ok ? 'OK' : (outcome.error.reason ?? outcome.error.code),
          requestId: approval.id,
          approvedBy: decidedBy?.id ?? null,
        },
      ]);
    });
  }

  async #ask(kind: 'tools' | 'describe', approval: StoredApproval, callId: string | null): Promise<Outcome> {
    const { organizationId, asker, tool, content, decidedScopes } = approval;
    const { bus, repositories } = this.dependencies;
    const organization = await repositories.organizations.get(organizationId);
    const { kind: actorKind, id } = asker;
    const caller: Caller = {
      ...serviceCaller(organizationId, approval.id, executeMs),
      tokenId: actorKind === 'TOKEN' ? id : null,
      actor: { kind: actorKind, id },
      callId,
      source: 'tools',
      scopes: decidedScopes.length > 0 ? (decidedScopes as Scope[]) : rightsOf.approver.scopes,
      bounds: boundsOf(organization),
    };
    return await bus.request(kind, { service: catalogue.get(tool)!.service, name: tool }, content.parameters, caller);
  }
}

/** Whether a failure says nothing of the call itself, so that another attempt may succeed. */
const isPassing = ({ error }: Extract<Outcome, { ok: false }>): boolean =>
  ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL'].includes(error.code);

/** Whether a decider's own rights cover a call. @throws ToolError ROLE_TOO_LOW */
export function assertCovers({ scopes }: Decider, { tool, content }: StoredApproval): void {
  const scope = scopeOf(catalogue.get(tool)!.contract, content.parameters);
  if (!permits(scopes, scope))
    throw new ToolError('ROLE_TOO_LOW', { call: tool, role: 'approver', needed: `a role with the scope "${scope}"` });
}

const decided = ({ state, expiresAt }: StoredApproval) =>
  new ToolError('APPROVAL_DECIDED', { state, expiresAt: expiresAt.toISOString() });

/** What an approval of a call holds, from the description of what the call would do. */
function approvalFrom(tool: string, parameters: Record<string, unknown>, described: Description): NewApproval {
  const { action, message, subject = null, facts = [], content = null, preview = null, diff = [] } = described;
  const held: ApprovedContent = { parameters, facts, preview, diff };
  return { tool, action, message, subject, contentHash: requestHash(tool, parameters, content), content: held };
}
