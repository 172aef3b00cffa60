import { randomUUID } from 'node:crypto';
import { catalogue } from '#contracts';
import type { Data, filterTools, skillTools } from '#contracts';
import { failureOf, ToolError } from '#tool-call';
import type { Outcome } from '#tool-call';
import type { CallerFacts } from '../auth/caller-facts.js';
import type { ConfirmationQuestion } from '../tool/confirmation-question.js';
import type { ToolCalls } from '../tool/tool-calls.js';
import type { ListedTool } from '../tool/tool-listing.js';
import { readIfMatch } from '../tool/if-match.js';
import { callIdOf } from '../tool/tool-request.js';
import { compactForms } from './compact-filters.js';
import { isCaller, isFinder, readTarget, runFinder } from './endpoint-calls.js';
import type { McpTarget } from './endpoint-calls.js';
import { suggestedTool } from './listing/tool-facts.js';
import { UnknownTool } from './mcp-view.js';
import type { McpView } from './mcp-view.js';
import { resultOf } from './mcp-result.js';
import type { McpResult } from './mcp-result.js';

export interface McpContext {
  token: CallerFacts;
  view: McpView;
  requestId: string;
  /** The refusal of every call over the rate limit, else null. */
  limited: Outcome | null;
  /** For logs and metrics: the outcome of each call. */
  heard(outcome: Outcome | 'asked'): void;
}

type SkillAnswer = Data<(typeof skillTools)['calls']['get_skill']>;
type SkillEntry = NonNullable<SkillAnswer['pages']>[number];
type FilterAnswer = Data<(typeof filterTools)['calls']['get_available_filters']>;

export interface McpRequest {
  name: string;
  body: unknown;
  meta?: Record<string, unknown> | undefined;
}

/** A result, or the question that a person or the agent must confirm first. */
export type McpAnswer = { result: McpResult } | { question: ConfirmationQuestion; target: McpTarget };

export class McpCalls {
  constructor(private readonly calls: ToolCalls) {}

  /** Calls a tool of the catalogue or of the endpoint; a refusal is a result too. */
  async call(visit: McpContext, request: McpRequest): Promise<McpAnswer> {
    let target: McpTarget = { name: request.name, body: request.body, by: null };
    let suggestions: readonly ListedTool[] = [];
    const answer = await this.#run(visit, request, (found) => (target = found)).catch((error: unknown): Outcome => {
      if (error instanceof UnknownTool) suggestions = error.suggestions;
      return { ok: false, error: failureOf(error).error };
    });
    if ('question' in answer) {
      visit.heard('asked');
      return { ...answer, target };
    }
    visit.heard(answer);
    return { result: resultOf(answer, pagingOf(target.name), suggestions.map(suggestedTool)) };
  }

  /** The catalogue of skills; empty for a token that may not read. */
  async listSkills(visit: McpContext): Promise<SkillEntry[]> {
    const answer = await this.#skill(visit, { type: 'docs' });
    return answer?.pages ?? [];
  }

  /** @returns null for an unknown skill */
  async findSkill(visit: McpContext, slug: string): Promise<{ title: string; markdown: string } | null> {
    const answer = await this.#skill(visit, { type: 'docs', page: slug });
    return answer?.markdown === undefined ? null : { title: answer.title, markdown: answer.markdown };
  }

  async #skill(visit: McpContext, input: object): Promise<SkillAnswer | null> {
    if (!visit.token.scopes.includes('read')) return null;
    const outcome = await this.#ask(visit, 'get_skill', input, null);
    return 'ok' in outcome && outcome.ok ? (outcome.data as SkillAnswer) : null;
  }

  /** The filters of one type as HTTP callers get them, or `group`. @returns null for an unknown type */
  async findFilter(visit: McpContext, type: string): Promise<object | null> {
    if (!visit.token.scopes.includes('read')) return null;
    const outcome = await this.#ask(visit, 'get_available_filters', {}, null);
    if (!('ok' in outcome) || !outcome.ok) return null;
    const { filters, group } = outcome.data as FilterAnswer;
    return type.toUpperCase() === 'GROUP' ? group : (filters.find((one) => one.type === type.toUpperCase()) ?? null);
  }

  async #run(visit: McpContext, { name, body, meta }: McpRequest, found: (target: McpTarget) => void) {
    if (visit.limited) return visit.limited;
    if (isFinder(name)) return { ok: true as const, data: runFinder(visit.view, name, body) };
    const target = isCaller(name) ? readTarget(visit.view, name, body) : { name, body, by: null };
    found(target);
    visit.view.get(target.name);
    const key = meta?.idempotencyKey;
    if (key !== undefined && typeof key !== 'string') throw new ToolError('IDEMPOTENCY_KEY_INVALID', {});
    const outcome = await this.#ask(visit, target.name, target.body, callIdOf(key), meta?.['tidings/ifMatch']);
    const form = compactForms[target.name];
    return form && 'ok' in outcome && outcome.ok ? { ...outcome, data: form.of(outcome.data) } : outcome;
  }

  #ask({ token, requestId }: McpContext, name: string, body: unknown, callId: string | null, ifMatch?: unknown) {
    const entry = this.calls.find(name, token);
    return this.calls.run({
      entry,
      token,
      body,
      callId,
      ifMatch: readIfMatch(ifMatch, entry),
      requestId: requestId || randomUUID(),
      source: 'mcp',
      arrivedAt: Date.now(),
    });
  }
}

function pagingOf(name: string): { pages: boolean; limits: boolean } {
  const parameters = catalogue.get(name)?.contract.input.shape ?? {};
  return { pages: 'cursor' in parameters, limits: 'limit' in parameters };
}
