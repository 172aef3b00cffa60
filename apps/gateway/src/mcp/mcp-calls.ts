import { randomUUID } from 'node:crypto';
import { catalogue } from '#contracts';
import type { Data, skillTools } from '#contracts';
import { failureOf, ToolError } from '#tool-call';
import type { Outcome } from '#tool-call';
import type { CallerFacts } from '../auth/caller-facts.js';
import type { ConfirmationQuestion } from '../tool/confirmation-question.js';
import type { ToolCalls } from '../tool/tool-calls.js';
import { callIdOf } from '../tool/tool-request.js';
import type { McpView } from './mcp-view.js';
import { resultOf } from './mcp-result.js';
import type { McpResult } from './mcp-result.js';

/** The caller, and the part of the catalogue it sees. */
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

/** Executes the calls of agents, by the same path as HTTP calls. */
export class McpCalls {
  constructor(private readonly calls: ToolCalls) {}

  /** Calls a tool; a refusal is a result too. */
  async call(
    visit: McpContext,
    name: string,
    body: unknown,
    meta?: Record<string, unknown>,
  ): Promise<{ result: McpResult } | { question: ConfirmationQuestion }> {
    const answer = await this.#run(visit, name, body, meta).catch((error: unknown): Outcome => ({
      ok: false,
      error: failureOf(error).error,
    }));
    if ('question' in answer) {
      visit.heard('asked');
      return answer;
    }
    visit.heard(answer);
    const parameters = catalogue.get(name)?.contract.input.shape ?? {};
    return { result: resultOf(answer, { pages: 'cursor' in parameters, limits: 'limit' in parameters }) };
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

  async #run(visit: McpContext, name: string, body: unknown, meta?: Record<string, unknown>) {
    if (visit.limited) return visit.limited;
    visit.view.assertHas(name);
    const key = meta?.idempotencyKey;
    if (key !== undefined && typeof key !== 'string') throw new ToolError('IDEMPOTENCY_KEY_INVALID', {});
    return await this.#ask(visit, name, body, callIdOf(key));
  }

  #ask({ token, requestId }: McpContext, name: string, body: unknown, callId: string | null) {
    const entry = this.calls.find(name, token);
    return this.calls.run({
      entry,
      token,
      body,
      callId,
      requestId: requestId || randomUUID(),
      source: 'mcp',
      arrivedAt: Date.now(),
    });
  }
}
