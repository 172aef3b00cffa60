import { catalogue } from '#contracts';
import type { CatalogueEntry, TokenFacts } from '#contracts';
import { confirm, nearest, requestHash, ToolError } from '#tool-call';
import type { Caller, ConfirmationDecision, ConfirmationStore, Description, Outcome } from '#tool-call';
import { confirmationQuestion } from './confirmation-question.js';
import type { ConfirmationQuestion } from './confirmation-question.js';
import { readToolRequest } from './tool-request.js';
import type { ToolRequest } from './tool-request.js';

/** Asks the owner of a tool to carry it out, or to describe what it would do. */
type Ask = (
  kind: 'tools' | 'describe',
  target: { service: string; name: string },
  input: unknown,
  caller: Caller,
) => Promise<Outcome>;

/** A call of a known tool by a recognised token, its body read and not yet checked. */
export interface ToolCall {
  entry: CatalogueEntry;
  token: TokenFacts;
  body: unknown;
  /** From an Idempotency-Key. */
  callId: string | null;
  requestId: string;
  source: Caller['source'];
  /** When the whole call had arrived, in milliseconds since the epoch. */
  arrivedAt: number;
}

/** An outcome, or the question that must be confirmed first. */
export type ToolResult = Outcome | { question: ConfirmationQuestion };

/** Finds, checks, confirms and hands on the calls of all tools, for every interface that offers them. */
export class ToolCalls {
  readonly #names = [...catalogue.keys()];

  constructor(
    private readonly ask: Ask,
    private readonly confirmations: ConfirmationStore,
    private readonly deadlineMs: number,
  ) {}

  /**
   * The tool of a name, for a token whose scopes cover it.
   * @throws ToolError TOOL_UNKNOWN with the nearest name, TOKEN_SCOPE_MISSING
   */
  find(name: string, token: TokenFacts): CatalogueEntry {
    const entry = this.get(name);
    const { scope } = entry.contract;
    if (!token.scopes.includes(scope)) {
      throw new ToolError('TOKEN_SCOPE_MISSING', { tool: name, scope, scopes: token.scopes });
    }
    return entry;
  }

  /** The tool of a name, whoever asks. @throws ToolError TOOL_UNKNOWN */
  get(name: string): CatalogueEntry {
    const entry = catalogue.get(name);
    if (entry) return entry;
    throw new ToolError('TOOL_UNKNOWN', { name: name.slice(0, 100), nearest: nearest(name, this.#names) });
  }

  /** Whether a tool of this name exists. */
  isKnown(name: string): boolean {
    return catalogue.has(name);
  }

  /** Carries a call out, or asks for its confirmation. @throws ToolError for what is refused here */
  async run(call: ToolCall): Promise<ToolResult> {
    const request = readToolRequest(call.entry.contract, call.body);
    if (call.entry.contract.confirm) return await this.#runConfirmed(call, request);
    return await this.#askOwner('tools', call, request, call.callId);
  }

  /** A right code executes; everything else is described first, so that what would be refused is refused without a code. */
  async #runConfirmed(call: ToolCall, request: ToolRequest): Promise<ToolResult> {
    const { token, callId } = call;
    let decision: ConfirmationDecision | null = null;
    if (request.confirmationCode !== null && token.selfConfirm) {
      decision = await this.#decide(call, request, callId);
      if (decision.kind === 'execute') return await this.#askOwner('tools', call, request, decision.callId);
    }
    const described = await this.#askOwner('describe', call, request, callId);
    // Under a call id that was carried out already, its owner answers that instead.
    if (!described.ok || described.replayed) return described;
    const description = described.data as Description;
    if (!token.selfConfirm) throw new ToolError('CONFIRMATION_BY_PERSON', { action: description.action });
    decision ??= await this.#decide(call, request, callId);
    if (decision.kind === 'execute') return await this.#askOwner('tools', call, request, decision.callId);
    return { question: confirmationQuestion(description, decision) };
  }

  async #decide({ entry, token }: ToolCall, request: ToolRequest, callId: string | null) {
    const key = requestHash(token.organizationId, token.tokenId, entry.name, request.args);
    try {
      return await confirm(this.confirmations, key, request.confirmationCode, Date.now, callId);
    } catch (cause) {
      throw new ToolError('SERVICE_UNAVAILABLE', { service: 'confirmation' }, { cause });
    }
  }

  #askOwner(kind: 'tools' | 'describe', call: ToolCall, { args }: ToolRequest, callId: string | null) {
    const { entry, token, requestId, source, arrivedAt } = call;
    return this.ask(kind, entry, args, {
      organizationId: token.organizationId,
      tokenId: token.tokenId,
      requestId,
      callId,
      deadline: arrivedAt + this.deadlineMs,
      now: new Date(arrivedAt),
      source,
      scopes: token.scopes,
    });
  }
}
