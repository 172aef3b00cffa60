import type { ServiceBus } from '#bus';
import { serviceCaller } from '#bus';
import { catalogue, isAtLeast, permits, rightsOf, scopeOf } from '#contracts';
import type { Scope } from '#contracts';
import { newId } from '#database';
import type { Outbox } from '#events';
import {
  boundedDifferences,
  boundsOf,
  RemoteFailure,
  requestHash,
  textDifferences,
  ToolError,
  valueDifferences,
} from '#tool-call';
import type { Caller, Description, Difference, Outcome } from '#tool-call';
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

type Decision = Parameters<Repositories['approvals']['updateDecided']>[1];
type Described = { now: NewApproval } | { refusal: Outcome };
type Refusal = Extract<Outcome, { ok: false }>;

/** An approved call that was not carried out after this many seconds is taken up again. */
const stalledSeconds = 30;
const executeMs = 25_000;
/** Reading an approval waits no longer for the service that describes it. */
const staleMs = 3_000;

/** Keeps calls that need a person, and carries out those that are approved (CONTRACT-PEOPLE, section 2). */
export class ApprovalService {
  constructor(private readonly dependencies: ApprovalDependencies) {}

  /** The approval that answers a call now. @returns null when the call must ask */
  async find(organizationId: string, call: AskedCall, now: Date): Promise<StoredApproval | null> {
    return await inForce(this.dependencies.repositories, organizationId, call, now);
  }

  /**
   * Asks for an approval, or returns the one in force; the same transaction notes the mails to approvers.
   * @param since only an approval that was asked for after this instant counts
   */
  async ask(
    organizationId: string,
    call: AskedCall,
    { tool, parameters, ...described }: { tool: string; parameters: Record<string, unknown> } & Description,
    { now, since = null }: { now: Date; since?: Date | null },
  ): Promise<StoredApproval> {
    if (Buffer.byteLength(JSON.stringify(parameters)) > parametersBytesMax)
      throw new ToolError('APPROVAL_TOO_LARGE', { bytesMax: parametersBytesMax });
    return await this.dependencies.inTransaction(async (repositories, outbox) => {
      const { approvals, approvalNotices, organizations } = repositories;
      await approvals.lock(organizationId);
      const known = await inForce(repositories, organizationId, call, now);
      if (known && (since === null || known.askedAt > since)) return known;
      await assertRoom(approvals, organizationId, call);
      const { approvalHours } = await organizations.getSettings(organizationId);
      const made = approvalFrom(tool, parameters, described);
      const approval = await approvals.insert(organizationId, call, made, approvalHours);
      await approvalNotices.insert(approval);
      const { id: approvalId, askedAt, asker } = approval;
      const by = { kind: asker.kind, id: asker.id };
      const asked = { approvalId, tool, asker: by, at: askedAt.toISOString() };
      outbox.add(organizationId, 'approval.asked', asked, approvalId);
      return approval;
    });
  }

  /**
   * Asks for a call in the name of an approval's asker, and shows what differs from what was approved.
   * @throws RemoteFailure for a call that is not possible now
   */
  async askAgain(
    approvalId: string,
    { tool, parameters, since }: { tool: string; parameters: Record<string, unknown>; since: Date },
    { organizationId, now }: Caller,
  ): Promise<StoredApproval> {
    const former = await this.#load(approvalId, organizationId);
    if (!former) throw new ToolError('APPROVAL_NOT_FOUND', { id: approvalId });
    const outcome = await this.#ask('describe', { ...former, tool, content: { ...former.content, parameters } }, null);
    if (!outcome.ok) throw new RemoteFailure(outcome.error);
    const described = outcome.data as Description;
    const actor = { kind: former.asker.kind, id: former.asker.id };
    const call = { actor, requestHash: requestHash(organizationId, actor.id, tool, parameters), callId: null };
    const asked = { ...described, diff: diffOf(described, former), tool, parameters };
    return await this.ask(organizationId, call, asked, { now, since });
  }

  async reject(approvalId: string, { userId }: Decider, note?: string): Promise<StoredApproval> {
    await this.#move(approvalId, { state: 'REJECTED', by: userId, note });
    return (await this.#load(approvalId))!;
  }

  /** Only the asker may withdraw an approval. */
  async withdraw(approvalId: string, { actor, organizationId }: Caller): Promise<void> {
    const approval = await this.#load(approvalId, organizationId);
    if (!approval || approval.asker.id !== actor?.id) throw new ToolError('APPROVAL_NOT_FOUND', { id: approvalId });
    await this.#move(approvalId, { state: 'WITHDRAWN', by: null });
  }

  /** @param seen the hash of the content that the decider saw */
  async approve(approval: StoredApproval, decider: Decider, seen: string, note?: string) {
    if (approval.state !== 'PENDING') throw decided(approval);
    if (seen !== approval.contentHash) throw new ToolError('APPROVAL_CHANGED', { contentHash: approval.contentHash });
    await this.#assertAskerInForce(approval);
    const described = await this.#findChange(approval);
    await this.#move(approval.id, { state: 'EXECUTING', by: decider.userId, scopes: decider.scopes, note }, described);
    const moved = (await this.#load(approval.id))!;
    if ('refusal' in described) await this.#finish(moved, described.refusal);
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

  /** Of several decisions at once, one succeeds. @param shown the latest description of the call, which is kept */
  async #move(approvalId: string, decision: Decision, shown: Described | null = null): Promise<void> {
    const moved = await this.dependencies.inTransaction(async ({ approvals }, outbox) => {
      if (shown && 'now' in shown) await approvals.updateContent(approvalId, shown.now);
      if (!(await approvals.updateDecided(approvalId, decision))) return false;
      if (decision.state !== 'EXECUTING') addDecided(outbox, (await approvals.findById(approvalId))!);
      return true;
    });
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
   * Whether approving would be refused, because the content changed or the call is not possible any more.
   * @returns null for an approval that is not PENDING, and when its service does not respond
   */
  async isStale(approval: StoredApproval): Promise<boolean | null> {
    if (approval.state !== 'PENDING') return null;
    const described = await this.#describe(approval, staleMs);
    if ('failure' in described) return isPassing(described.failure) ? null : true;
    return described.now.contentHash !== approval.contentHash;
  }

  /** Describes the call as it is now. */
  async #describe(
    approval: StoredApproval,
    deadlineMs = executeMs,
  ): Promise<{ now: NewApproval; description: Description } | { failure: Refusal }> {
    const outcome = await this.#ask('describe', approval, null, deadlineMs);
    if (!outcome.ok) return { failure: outcome };
    const { tool, content, action, message } = approval;
    // Null: in the present state of its record the call needs no approval: its sentence is all that it binds.
    const description = (outcome.data as Description | null) ?? { action, message };
    return { now: approvalFrom(tool, content.parameters, description), description };
  }

  /**
   * Describes the call again: what was seen must be what is carried out.
   * @returns the description as it was seen, with the present version of its record, or the refusal of a call that is not possible any more
   * @throws ToolError APPROVAL_CHANGED
   */
  async #findChange(approval: StoredApproval): Promise<Described> {
    const described = await this.#describe(approval);
    if ('failure' in described) {
      if (isPassing(described.failure)) throw new RemoteFailure(described.failure.error);
      return { refusal: described.failure };
    }
    const { now, description } = described;
    const { contentHash, content } = approval;
    if (now.contentHash === contentHash) return { now: { ...now, message: approval.message, content } };
    now.content.diff = diffOf(description, approval);
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
    await this.dependencies.inTransaction(async ({ approvals, audit }, outbox) => {
      // Another process took it up and finished it.
      if (!(await approvals.updateOutcome(approval.id, outcome))) return;
      addDecided(outbox, { ...approval, state: outcome.ok ? 'EXECUTED' : 'FAILED' });
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
    const { id, organizationId: organization } = approval;
    this.dependencies.bus.live.publish({ name: 'approval.decided', id, organization });
  }

  async #ask(
    kind: 'tools' | 'describe',
    approval: StoredApproval,
    callId: string | null,
    deadlineMs = executeMs,
  ): Promise<Outcome> {
    const { organizationId, asker, tool, content, decidedScopes } = approval;
    const { bus, repositories } = this.dependencies;
    const { service, contract } = catalogue.get(tool)!;
    const organization = await repositories.organizations.get(organizationId);
    const { kind: actorKind, id } = asker;
    const caller: Caller = {
      ...serviceCaller(organizationId, approval.id, deadlineMs),
      tokenId: actorKind === 'TOKEN' ? id : null,
      actor: { kind: actorKind, id },
      callId,
      ...(kind === 'describe'
        ? { forApproval: true }
        : {
            approved: { approvalId: approval.id, content: content.bound, count: content.count },
            // A record that changed between the description and the call is refused, not carried out unseen.
            ...(contract.locks && { ifMatch: approval.subject?.updatedAt ?? undefined }),
          }),
      source: 'tools',
      scopes: decidedScopes.length > 0 ? (decidedScopes as Scope[]) : rightsOf.approver.scopes,
      bounds: boundsOf(organization),
    };
    return await bus.request(kind, { service, name: tool }, content.parameters, caller);
  }
}

const isPassing = ({ error }: Refusal): boolean => ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL'].includes(error.code);

/** Whether a decider's own rights cover a call. @throws ToolError ROLE_TOO_LOW */
export function assertCovers({ scopes }: Decider, { tool, content }: StoredApproval): void {
  const scope = scopeOf(catalogue.get(tool)!.contract, content.parameters);
  if (!permits(scopes, scope))
    throw new ToolError('ROLE_TOO_LOW', { call: tool, role: 'approver', needed: `a role with the scope "${scope}"` });
}

const decided = ({ state, expiresAt }: StoredApproval) =>
  new ToolError('APPROVAL_DECIDED', { state, expiresAt: expiresAt.toISOString() });

function approvalFrom(tool: string, parameters: Record<string, unknown>, described: Description): NewApproval {
  const { action, message, subject = null, facts = [], content, count, preview = null, diff = [] } = described;
  const held: ApprovedContent = { parameters, facts, preview, diff, bound: content, count };
  return {
    tool,
    action,
    message,
    subject,
    contentHash: requestHash(tool, parameters, content ?? message),
    content: held,
  };
}

/** The changes that a description names; where it names none, those against what was shown before. */
function diffOf({ diff = [], preview, facts = [] }: Description, { content }: StoredApproval): Difference[] {
  if (diff.length > 0) return diff;
  const values = (list: ApprovedContent['facts'], mail: ApprovedContent['preview'] | undefined) => ({
    ...Object.fromEntries(list.map(({ label, value }) => [label, value])),
    ...(mail && { subject: mail.subject, preview: mail.preview }),
  });
  const text = textDifferences('text', content.preview?.text ?? '', preview?.text ?? '');
  return boundedDifferences([
    ...valueDifferences(values(content.facts, content.preview), values(facts, preview)),
    ...text,
  ]);
}

async function inForce(
  { approvals }: Pick<Repositories, 'approvals'>,
  organizationId: string,
  call: AskedCall,
  now: Date,
): Promise<StoredApproval | null> {
  const newest = await approvals.findNewest(organizationId, call);
  return newest && isInForce(newest, call.callId, now) ? newest : null;
}

async function assertRoom(approvals: Repositories['approvals'], organizationId: string, call: AskedCall) {
  const pending = await approvals.countPending(organizationId, call);
  if (pending.organization >= pendingMax.organization)
    throw new ToolError('APPROVALS_TOO_MANY', { limit: pendingMax.organization, whose: 'the organization' });
  if (pending.asker >= pendingMax.asker)
    throw new ToolError('APPROVALS_TOO_MANY', { limit: pendingMax.asker, whose: 'this caller' });
}

function addDecided(outbox: Outbox, { id, organizationId, tool, state, decidedBy }: StoredApproval): void {
  if (state !== 'REJECTED' && state !== 'WITHDRAWN' && state !== 'EXECUTED' && state !== 'FAILED') return;
  const by = decidedBy?.id ?? null;
  const data = { approvalId: id, tool, state, decidedBy: by, at: new Date().toISOString() };
  outbox.add(organizationId, 'approval.decided', data, id);
}
