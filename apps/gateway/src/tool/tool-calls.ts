import { catalogue, isReadOnly, isWithinToolsets, scopeOf } from '#contracts';
import type { Approval, CatalogueEntry, Scope } from '#contracts';
import { boundsOf, closestName, confirm, requestHash, ToolError } from '#tool-call';
import type { Caller, ConfirmationDecision, ConfirmationStore, Description, Outcome } from '#tool-call';
import { assertRecent, mayCall } from '../auth/caller-facts.js';
import type { CallerFacts } from '../auth/caller-facts.js';
import { yieldForBody } from '../http/yield-for-body.js';
import { approvalQuestion, confirmationQuestion } from './confirmation-question.js';
import type { ConfirmationQuestion } from './confirmation-question.js';
import { readToolRequest } from './tool-request.js';
import type { ToolRequest } from './tool-request.js';

type Ask = (
  kind: 'tools' | 'describe',
  target: { service: string; name: string },
  input: unknown,
  caller: Caller,
  options: { changesNothing: boolean },
) => Promise<Outcome>;

/** A call of a known tool by an authenticated caller, its body read but not validated. */
export interface ToolCall {
  entry: CatalogueEntry;
  token: CallerFacts;
  body: unknown;
  /** Bytes from which the body was parsed; default 0, for small ones. */
  bodyBytes?: number;
  /** From an Idempotency-Key. */
  callId: string | null;
  /** The updatedAt that the record must still have, from If-Match. */
  ifMatch?: string | undefined;
  requestId: string;
  source: Caller['source'];
  /** When the whole call had arrived, in milliseconds since the epoch. */
  arrivedAt: number;
}

/** An outcome, or the question that must be confirmed first. */
export type ToolResult = Outcome | { question: ConfirmationQuestion };

export interface Approvals {
  /** The approval in force for exactly this call, with the outcome once it was carried out; null when it must ask. */
  find(call: ApprovableCall): Promise<{ approval: Approval; outcome: Outcome | null } | null>;
  ask(call: ApprovableCall & { tool: string; parameters: Record<string, unknown> } & Description): Promise<Approval>;
}
export interface ApprovableCall {
  token: CallerFacts;
  requestId: string;
  requestHash: string;
  /** From an Idempotency-Key: with it, the asker's repeat gets the outcome for 24 hours instead of five minutes. */
  callId: string | null;
}

export type Audit = (call: ToolCall, args: unknown, outcome: Outcome) => void;

interface ToolCallsOptions {
  ask: Ask;
  confirmations: ConfirmationStore;
  approvals: Approvals;
  audit: Audit;
  deadlineMs: number;
}

/** Finds, validates, confirms and forwards the calls of all tools, for every interface that offers them. */
export class ToolCalls {
  readonly #names = [...catalogue.keys()];

  constructor(private readonly options: ToolCallsOptions) {}

  /** The tool with a name, for a token that may make at least its harmless calls. */
  find(name: string, token: CallerFacts): CatalogueEntry {
    const entry = this.get(name);
    assertToolScope(entry, token);
    assertKind(entry, token);
    return entry;
  }

  get(name: string): CatalogueEntry {
    const entry = catalogue.get(name);
    if (entry) return entry;
    throw new ToolError('TOOL_UNKNOWN', { name: name.slice(0, 100), nearest: closestName(name, this.#names) });
  }

  isKnown(name: string): boolean {
    return catalogue.has(name);
  }

  concernsInstallation(name: string): boolean {
    return catalogue.get(name)?.contract.operatorOnly ?? false;
  }

  async run(call: ToolCall): Promise<ToolResult> {
    const { bodyBytes = 0, token } = call;
    await yieldForBody(token.organizationId, bodyBytes);
    const request = readToolRequest(call.entry.contract, call.body);
    assertToolScope(call.entry, token, request.args);
    assertRecentSignIn(call.entry, request.args, token);
    await yieldForBody(token.organizationId, bodyBytes);
    const result = await this.#runRead(call, request);
    if (!('question' in result)) this.options.audit(call, request.args, result);
    return result;
  }

  async #runRead(call: ToolCall, request: ToolRequest): Promise<ToolResult> {
    const { contract } = call.entry;
    const { selfConfirm, asks } = call.token;
    const confirms = contract.confirm === true && !contract.unasked?.(request.args);
    if ((confirms && !selfConfirm) || (asks && scopeOf(contract, request.args) === 'send'))
      return await this.#runApproved(call, request);
    if (confirms) return await this.#runConfirmed(call, request);
    if (contract.asksByState && (asks || !selfConfirm)) return await this.#runApproved(call, request);
    return await this.#askOwner('tools', call, request, call.callId);
  }

  /** A call without a valid code is described first, so that a call bound to be refused gets no code. */
  async #runConfirmed(call: ToolCall, request: ToolRequest): Promise<ToolResult> {
    const { callId } = call;
    let decision: ConfirmationDecision | null = null;
    if (request.confirmationCode !== null) {
      decision = await this.#decide(call, request, callId);
      if (decision.kind === 'execute') return await this.#askOwner('tools', call, request, decision.callId);
    }
    const described = await this.#askOwner('describe', call, request, callId);
    // For a call id already executed, the owning service returns that result instead.
    if (!described.ok || described.replayed) return described;
    decision ??= await this.#decide(call, request, callId);
    if (decision.kind === 'execute') return await this.#askOwner('tools', call, request, decision.callId);
    return { question: confirmationQuestion(described.data as Description, decision) };
  }

  /** Asks for an approval, or answers with the outcome of the approved call; codes have no effect. */
  async #runApproved(call: ToolCall, request: ToolRequest): Promise<ToolResult> {
    const { entry, token, requestId, callId } = call;
    const asked = { token, requestId, callId, requestHash: keyOf(call, request) };
    const found = await this.options.approvals.find(asked);
    if (found?.outcome) return found.outcome.ok ? { ...found.outcome, replayed: true } : found.outcome;
    if (found?.approval.state === 'REJECTED') {
      const { action, expiresAt: until, note } = found.approval;
      throw new ToolError('APPROVAL_REJECTED', { action, until, note: note ?? null });
    }
    if (found) return { question: approvalQuestion(found.approval) };
    const described = await this.#askOwner('describe', call, request, callId, true);
    if (!described.ok || described.replayed) return described;
    const description = described.data as Description | null;
    if (description === null) return await this.#askOwner('tools', call, request, callId);
    const { args: parameters } = request;
    return {
      question: approvalQuestion(
        await this.options.approvals.ask({ ...asked, tool: entry.name, parameters, ...description }),
      ),
    };
  }

  #decide(call: ToolCall, request: ToolRequest, callId: string | null): Promise<ConfirmationDecision> {
    const { confirmations } = this.options;
    return remembered(confirm(confirmations, keyOf(call, request), request.confirmationCode, Date.now, callId));
  }

  #askOwner(
    kind: 'tools' | 'describe',
    call: ToolCall,
    { args }: ToolRequest,
    callId: string | null,
    forApproval?: boolean,
  ) {
    const { entry, token, requestId, source, arrivedAt, ifMatch } = call;
    const caller: Caller = {
      organizationId: token.organizationId,
      tokenId: token.tokenId,
      actor: token.actor,
      asks: token.asks,
      forApproval,
      requestId,
      callId,
      deadline: arrivedAt + this.options.deadlineMs,
      now: new Date(arrivedAt),
      source,
      scopes: token.scopes,
      bounds: boundsOf(token),
      ifMatch,
    };
    const changesNothing = kind === 'describe' || isReadOnly(entry.contract);
    return this.options.ask(kind, entry, args, caller, { changesNothing });
  }
}

export function assertScope({ name }: Pick<CatalogueEntry, 'name'>, scope: Scope, caller: CallerFacts): void {
  if (mayCall(caller, scope)) return;
  const { session, scopes } = caller;
  if (!session) throw new ToolError('TOKEN_SCOPE_MISSING', { tool: name, scope, scopes });
  throw new ToolError('ROLE_TOO_LOW', { call: name, role: session.role, needed: `a role with the scope "${scope}"` });
}

/** The scope of every call of a tool permits its harmless calls too. */
function assertToolScope(entry: CatalogueEntry, caller: CallerFacts, args?: object): void {
  if (!mayCall(caller, entry.contract.scope)) assertScope(entry, scopeOf(entry.contract, args), caller);
}

/** Refuses what this kind of caller may not call, whatever its scopes. */
function assertKind({ name, contract }: CatalogueEntry, { session, actor, toolsets }: CallerFacts): void {
  assertToolsets(name, contract, toolsets);
  if (contract.userOnly && actor.kind === 'TOKEN') throw new ToolError('USER_REQUIRED', { call: name });
  if (contract.operatorOnly && session && !session.operator) {
    const needed = 'an operator of this installation';
    throw new ToolError('ROLE_TOO_LOW', { call: name, role: session.role, needed });
  }
}

export function assertToolsets(
  call: string,
  contract: Parameters<typeof isWithinToolsets>[1],
  toolsets: readonly string[] | null,
): void {
  if (toolsets && !isWithinToolsets(toolsets, contract))
    throw new ToolError('TOKEN_TOOLSET_MISSING', { call, toolsets });
}

function assertRecentSignIn(
  { name, contract: { recentSignIn } }: CatalogueEntry,
  args: Record<string, unknown>,
  { session }: CallerFacts,
): void {
  if (session && (recentSignIn === true || recentSignIn?.(args))) assertRecent(session, name);
}

/** @throws ToolError SERVICE_UNAVAILABLE when the stored confirmations cannot be read */
const remembered = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((cause: unknown) => {
    throw new ToolError('SERVICE_UNAVAILABLE', { service: 'confirmation' }, { cause });
  });

const keyOf = ({ entry, token }: ToolCall, { args }: ToolRequest): string =>
  requestHash(token.organizationId, token.actor.id, entry.name, args);
