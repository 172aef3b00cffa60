import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimitHeaders, ToolError } from '#tool-call';
import { Door, rateLimited } from '../door/door.js';
import type { Visitor } from '../door/door.js';
import { answerOf, answerOfThrown, sendAnswer } from '../http/answer.js';
import type { Answer } from '../http/answer.js';
import { isJsonType, parseJsonBody } from '../http/json-body.js';
import { readBody } from '../http/read-body.js';
import { questionStatus } from './confirmation-question.js';
import { ToolCalls } from './tool-calls.js';
import { ToolListing } from './tool-listing.js';
import { bodyLimit, callIdOf } from './tool-request.js';

/** Written by the module that wires the gateway. */
export const CALL_RECORD = Symbol('call record');
/** Counts a call that was answered, and logs it. */
export type CallRecord = (facts: {
  call: string;
  outcome: Answer['outcome'];
  seconds: number;
  requestId: string;
  organizationId: string | undefined;
  /** What was thrown, if something was. */
  thrown: unknown;
}) => void;

const listed = (body: string): Answer => ({ status: 200, headers: {}, body, outcome: 'OK' });

/** The tools API: one route for all tools, and their listing. */
@Controller('api/v2/tools')
export class ToolController {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(ToolCalls) private readonly calls: ToolCalls,
    @Inject(ToolListing) private readonly listing: ToolListing,
    @Inject(CALL_RECORD) private readonly record: CallRecord,
  ) {}

  @Get()
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply, 'tool listing', () => listed(this.listing.all));
  }

  @Get(':name')
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply, 'tool listing', () =>
      listed(this.listing.one(this.calls.get(nameOf(request)).name)),
    );
  }

  @Post(':name')
  call(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const name = nameOf(request);
    return this.#serve(request, reply, this.calls.isKnown(name) ? name : 'unknown tool', async ({ token }) => {
      const entry = this.calls.find(name, token);
      const callId = callIdOf(request.headers['idempotency-key']);
      const body = await readJson(request, bodyLimit(entry));
      const result = await this.calls.run({
        ...{ entry, token, body, callId },
        arrivedAt: Date.now(),
        requestId: request.id,
        source: 'tools',
      });
      if (!('question' in result)) return answerOf(result);
      const { question } = result;
      return { status: questionStatus, headers: {}, body: JSON.stringify(question), outcome: question.code };
    });
  }

  /** The order of every call: token, rate limit, then what was asked; the answer carries the rate figures. */
  async #serve(
    request: FastifyRequest,
    reply: FastifyReply,
    call: string,
    work: (visitor: Visitor) => Answer | Promise<Answer>,
  ): Promise<void> {
    const started = performance.now();
    let visitor: Visitor | null = null;
    let thrown: unknown;
    let answer: Answer;
    try {
      visitor = await this.door.enter(request.headers.authorization);
      void reply.headers(rateLimitHeaders(visitor.permit));
      answer = visitor.permit.granted ? await work(visitor) : answerOf(rateLimited(visitor.permit, Date.now()));
    } catch (error) {
      thrown = error;
      answer = answerOfThrown(error);
    }
    sendAnswer(reply, answer);
    this.record({
      call,
      outcome: answer.outcome,
      seconds: (performance.now() - started) / 1000,
      requestId: request.id,
      organizationId: visitor?.token.organizationId,
      thrown,
    });
  }
}

const nameOf = ({ params }: FastifyRequest): string => (params as { name: string }).name;

/** @throws ToolError when the body is too large, of another type, or not JSON */
async function readJson(request: FastifyRequest, bytesMax: number): Promise<unknown> {
  const contentType = request.headers['content-type'];
  const unsupported = () => new ToolError('CONTENT_TYPE_UNSUPPORTED', { contentType: contentType ?? '' });
  if (contentType !== undefined && !isJsonType(contentType)) throw unsupported();
  const bytes = await readBody(request.raw, bytesMax);
  if (contentType === undefined && bytes.length > 0) throw unsupported();
  return parseJsonBody(bytes);
}
