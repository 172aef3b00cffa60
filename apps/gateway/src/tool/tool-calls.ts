import { catalogue, permits, scopeOf } from '#contracts';
import type { Approval, CatalogueEntry, Scope, TokenFacts } from '#contracts';
import { bindApproved, boundsOf, confirm, nearest, requestHash, ToolError } from '#tool-call';
import type { Caller, ConfirmationDecision, ConfirmationStore, Description, Outcome } from '#tool-call';
import { yieldForBody } from '../http/yield-for-body.js';
import { approvalQuestion, confirmationQuestion } from './confirmation-question.js';
import type { ConfirmationQuestion } from './confirmation-question.js';
import { readToolRequest } from './tool-request.js';
import type { ToolRequest } from './tool-request.js';

/** Calls the service that owns a tool, to execute the call or to describe its effect. */
type Ask = (
  kind: 'tools' | 'describe',
  target: { service: string; name: string },
  input: unknown,
  caller: Caller,
) => Promise<Outcome>;

/** A call of a known tool by an authenticated token, its body read but not validated. */
export interface ToolCall {
  entry: CatalogueEntry;
  token: TokenFacts;
  body: unknown;
  /** Bytes from which the body was parsed; default 0, for small ones. */
  bodyBytes?: number;
  /** From an Idempotency-Key. */
  callId: string | null;
  requestId: string;
  source: Caller['source'];
  /** When the whole call had arrived, in milliseconds since the epoch. */
  arrivedAt: number;
}

/** An outcome, or the question that must be confirmed first. */
export type ToolResult = Outcome | { question: ConfirmationQuestion };

/** Approvals of calls whose token may not confirm them. */
export interface Approvals {
  /** The approval that applies to exactly this call now; null when none was requested. */
  find(call: ApprovableCall): Promise<Approval | null>;
  ask(call: ApprovableCall & { tool: string } & Description): Promise<Approval>;
}
export interface ApprovableCall {
  token: TokenFacts;
  requestId: string;
  requestHash: string;
}

/** Receives every call that was executed or refused. */
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

  /**
   * The tool with a name, for a token that may make at least its harmless calls.
   * @throws ToolError TOOL_UNKNOWN with the nearest name, TOKEN_SCOPE_MISSING
   */
  find(name: string, token: TokenFacts): CatalogueEntry {
    const entry = this.get(name);
    assertScope(entry, scopeOf(entry.contract), token);
    return entry;
  }

  /** The tool with a name, for any token. @throws ToolError TOOL_UNKNOWN */
  get(name: string): CatalogueEntry {
    const entry = catalogue.get(name);
    if (entry) return entry;
    throw new ToolError('TOOL_UNKNOWN', { name: name.slice(0, 100), nearest: nearest(name, this.#names) });
  }

  /** Whether a tool of this name exists. */
  isKnown(name: string): boolean {
    return catalogue.has(name);
  }

  /** Executes a call, or asks for its confirmation. @throws ToolError for a refusal of the gateway itself */
  async run(call: ToolCall): Promise<ToolResult> {
    const { bodyBytes = 0, token } = call;
    await yieldForBody(token.organizationId, bodyBytes);
    const request = readToolRequest(call.entry.contract, call.body);
    assertScope(call.entry, scopeOf(call.entry.contract, request.args), token);
    await yieldForBody(token.organizationId, bodyBytes);
    const result = await this.#runRead(call, request);
    if (!('question' in result)) this.options.audit(call, request.args, result);
    return result;
  }

  async #runRead(call: ToolCall, request: ToolRequest): Promise<ToolResult> {
    const { confirm: asks, unasked } = call.entry.contract;
    if (!asks || unasked?.(request.args)) return await this.#askOwner('tools', call, request, call.callId);
    return call.token.selfConfirm ? await this.#runConfirmed(call, request) : await this.#runApproved(call, request);
  }

  /** Executes with a valid code. Any other call is described first, so that a call bound to be refused gets no code. */
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

  /** Executes an approved call, once per approval; codes have no effect. */
  async #runApproved(call: ToolCall, request: ToolRequest): Promise<ToolResult> {
    const { entry, token, requestId, callId } = call;
    const asked = { token, requestId, requestHash: keyOf(call, request) };
    let approval = await this.options.approvals.find(asked);
    if (approval?.state !== 'APPROVED') {
      const described = await this.#askOwner('describe', call, request, callId);
      if (!described.ok || described.replayed) return described;
      approval ??= await this.options.approvals.ask({ ...asked, tool: entry.name, ...(described.data as Description) });
    }
    const { id, state, action, expiresAt } = approval;
    if (state === 'APPROVED') return await this.#askOwner('tools', call, request, await this.#bind(id, callId));
    if (state === 'REJECTED') throw new ToolError('APPROVAL_REJECTED', { action, until: expiresAt });
    return { question: approvalQuestion(approval) };
  }

  #decide(call: ToolCall, request: ToolRequest, callId: string | null): Promise<ConfirmationDecision> {
    const { confirmations } = this.options;
    return remembered(confirm(confirmations, keyOf(call, request), request.confirmationCode, Date.now, callId));
  }

  #bind(approvalId: string, callId: string | null): Promise<string> {
    const key = requestHash('approval', approvalId);
    return remembered(bindApproved(this.options.confirmations, key, callId ?? `approved:${approvalId}`));
  }

  #askOwner(kind: 'tools' | 'describe', call: ToolCall, { args }: ToolRequest, callId: string | null) {
    const { entry, token, requestId, source, arrivedAt } = call;
    return this.options.ask(kind, entry, args, {
      organizationId: token.organizationId,
      tokenId: token.tokenId,
      requestId,
      callId,
      deadline: arrivedAt + this.options.deadlineMs,
      now: new Date(arrivedAt),
      source,
      scopes: token.scopes,
      bounds: boundsOf(token),
    });
  }
}

/** @throws ToolError TOKEN_SCOPE_MISSING */
function assertScope({ name }: CatalogueEntry, scope: Scope, { scopes }: TokenFacts): void {
  if (!permits(scopes, scope)) throw new ToolError('TOKEN_SCOPE_MISSING', { tool: name, scope, scopes });
}

/** @throws ToolError SERVICE_UNAVAILABLE when the stored confirmations cannot be read */
const remembered = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((cause: unknown) => {
    throw new ToolError('SERVICE_UNAVAILABLE', { service: 'confirmation' }, { cause });
  });

/** Organization, token, tool and the exact parameters. */
const keyOf = ({ entry, token }: ToolCall, { args }: ToolRequest): string =>
  requestHash(token.organizationId, token.tokenId, entry.name, args);
