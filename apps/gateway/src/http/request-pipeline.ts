import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureOf, rateLimitHeaders } from '#tool-call';
import type { Outcome } from '#tool-call';
import { sendResponse } from './response.js';
import type { HttpResponse } from './response.js';
import { BodyBudget } from './body-budget.js';
import { rateLimited } from '../auth/authenticator.js';
import type { Authenticator, Principal } from '../auth/authenticator.js';

/** Counts a call that was answered, and logs it. */
export type CallRecord = (facts: {
  call: string;
  outcome: HttpResponse['outcome'];
  seconds: number;
  requestId: string;
  organizationId: string | undefined;
  /** What was thrown, if something was. */
  thrown: unknown;
}) => void;

/** Does the work of a call where traces see it; what they tell of it is known when it is done. */
export type CallTrace = (
  begun: { name: string; parent: string; links: string[]; attributes: Record<string, string> },
  work: (ended: (attributes: Record<string, string | number>) => void) => Promise<void>,
) => Promise<void>;

/** A request that came in with, or should have come in with, an API token. */
export interface ApiRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  /** For logs and metrics. */
  call: string;
  /** How an interface words an outcome. */
  answer: (outcome: Outcome) => HttpResponse;
  /** Who refuses what is over the rate limit, if it is the work that does: some interfaces have a way of their own. */
  limitedBy?: 'work';
}

/** Receives the calls of every interface that takes API tokens over HTTP. */
export class RequestPipeline {
  readonly #bodies = new BodyBudget();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly record: CallRecord,
    private readonly trace: CallTrace,
    /** Whether a request's peer is a proxy of this installation, whose trace may be continued. */
    private readonly isTrusted: (request: FastifyRequest) => boolean,
  ) {}

  /** The order of every call: token, rate limit, then what was asked; the answer carries the rate figures. */
  async serve(
    apiRequest: ApiRequest,
    work: (principal: Principal) => HttpResponse | Promise<HttpResponse>,
  ): Promise<void> {
    const { request, call } = apiRequest;
    const { traceparent } = request.headers;
    const attributes = {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? '',
      'tidings.request_id': request.id,
    };
    const outside = typeof traceparent === 'string' ? [traceparent] : [];
    // An unauthenticated client could join unrelated calls under one trace id (W3C Trace Context, section 7).
    const origin = this.isTrusted(request)
      ? { parent: outside[0] ?? 'root', links: [] }
      : { parent: 'root', links: outside };
    await this.trace({ name: `${request.method} ${call}`, ...origin, attributes }, async (ended) => {
      const { status, outcome } = await this.#serve(apiRequest, work);
      ended({ 'http.response.status_code': status, 'tidings.outcome': outcome });
    });
  }

  async #serve(
    { request, reply, call, answer: toResponse, limitedBy }: ApiRequest,
    work: (principal: Principal) => HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const started = performance.now();
    let principal: Principal | null = null;
    let thrown: unknown;
    let answer: HttpResponse;
    try {
      principal = await this.authenticator.authenticate(request.headers.authorization);
      void reply.headers(rateLimitHeaders(principal.permit));
      const isAdmitted = principal.permit.granted || limitedBy === 'work';
      const admitted = principal;
      answer = isAdmitted
        ? await this.#bodies.run(admitted.token.organizationId, request.headers, () => work(admitted))
        : toResponse(rateLimited(principal.permit));
    } catch (error) {
      thrown = error;
      answer = toResponse({ ok: false, error: failureOf(error).error });
    }
    sendResponse(reply, answer);
    this.record({
      call,
      outcome: answer.outcome,
      seconds: (performance.now() - started) / 1000,
      requestId: request.id,
      organizationId: principal?.token.organizationId,
      thrown,
    });
    return answer;
  }
}
