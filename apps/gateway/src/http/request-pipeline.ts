import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureOf, rateLimitHeaders } from '#tool-call';
import type { Outcome } from '#tool-call';
import { sendResponse } from './response.js';
import type { HttpResponse } from './response.js';
import { BodyBudget } from './body-budget.js';
import { rateLimited } from '../auth/authenticator.js';
import type { Authenticator, Principal } from '../auth/authenticator.js';

export type CallRecord = (facts: {
  call: string;
  outcome: HttpResponse['outcome'];
  seconds: number;
  requestId: string;
  organizationId: string | undefined;
  thrown: unknown;
}) => void;

/** Runs `work` within a trace; its attributes are set when it ends. */
export type CallTrace = (
  begun: { name: string; parent: string; links: string[]; attributes: Record<string, string> },
  work: (ended: (attributes: Record<string, string | number>) => void) => Promise<void>,
) => Promise<void>;

export interface ApiRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  call: string;
  answer: (outcome: Outcome) => HttpResponse;
  /** `work` if the interface itself refuses calls over the rate limit. */
  limitedBy?: 'work';
  acceptsSessions?: boolean;
  /** Whether the call concerns the installation: the operator's command need not name an organization. */
  concernsInstallation?: boolean;
  /** Whether a member may call it who still has to set up the second factor that the organization requires. */
  opensWithoutFactor?: boolean;
  /** `work` if the interface itself bounds the memory of bodies. */
  bodyBoundedBy?: 'work';
}

/** Handles the calls of every HTTP interface that takes API tokens. */
export class RequestPipeline {
  readonly #bodies = new BodyBudget();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly record: CallRecord,
    private readonly trace: CallTrace,
    /** Whether a request's peer is a proxy of this installation, whose trace may be continued. */
    private readonly isTrusted: (request: FastifyRequest) => boolean,
  ) {}

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
    apiRequest: ApiRequest,
    work: (principal: Principal) => HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { request, reply, call, answer: toResponse, limitedBy, bodyBoundedBy } = apiRequest;
    const { acceptsSessions = false, concernsInstallation = false, opensWithoutFactor = false } = apiRequest;
    const started = performance.now();
    let principal: Principal | null = null;
    let thrown: unknown;
    let answer: HttpResponse;
    try {
      principal = await this.authenticator.authenticate(request, {
        acceptsSessions,
        concernsInstallation,
        opensWithoutFactor,
      });
      void reply.headers(rateLimitHeaders(principal.permit));
      const isAdmitted = principal.permit.granted || limitedBy === 'work';
      const admitted = principal;
      const run = () =>
        bodyBoundedBy === 'work'
          ? work(admitted)
          : this.#bodies.run(admitted.token.organizationId, request.headers, () => work(admitted));
      answer = isAdmitted ? await run() : toResponse(rateLimited(principal.permit));
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
