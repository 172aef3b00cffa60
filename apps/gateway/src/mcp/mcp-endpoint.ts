import { randomUUID } from 'node:crypto';
import type { ReadableStream } from 'node:stream/web';
import type { ErrorCode } from '#contracts';
import { failureOf, ToolError } from '#tool-call';
import type { Outcome } from '#tool-call';
import type { Principal } from '../auth/authenticator.js';
import { rateLimited } from '../auth/authenticator.js';
import type { HttpResponse } from '../http/response.js';
import { keptAlive } from '../http/sse-keep-alive.js';
import type { ListedTool } from '../tool/tool-listing.js';
import type { McpCalls, McpContext } from './mcp-calls.js';
import { McpView, readScope } from './mcp-view.js';
import { mayComeFrom } from './web-origin.js';

export interface McpMessage {
  principal: Principal;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: unknown;
  /** The arguments of a tool call; the body holds an empty object in their place. */
  toolArguments?: Record<string, unknown> | undefined;
  requestId: string;
}

/** State of a client that can ask its person: it routes the person's answer to the call that waits for it. */
interface Session {
  tokenId: string;
  visit: McpContext;
  transport: { handleRequest(request: Request, options: object): Promise<Response>; close(): Promise<void> };
  usedAt: number;
}

const sessionIdleMs = 30 * 60_000;
const sessionsMax = 2_000;
/** Sessions of one organization, which thus cannot end those of another. */
const ownSessionsMax = 200;
const sessionHeader = 'mcp-session-id';

/**
 * MCP over Streamable HTTP, stateless, so that any gateway can answer any message. Only clients that can ask their
 * person have a session, and they are answered without it too.
 */
export class McpEndpoint {
  readonly #sessions = new Map<string, Session>();

  constructor(
    private readonly calls: McpCalls,
    private readonly tools: () => readonly ListedTool[],
    private readonly version: string,
    private readonly publicUrl: string,
  ) {}

  async answer(message: McpMessage): Promise<HttpResponse> {
    const { principal, body, headers } = message;
    const { origin } = headers;
    if (!mayComeFrom(origin, this.publicUrl)) throw new ToolError('ORIGIN_REFUSED', { origin: origin! });
    // Each request counts against the rate limit once.
    if (Array.isArray(body)) throw new ToolError('PARAMETERS_INVALID', { summary: 'Send one message a request.' });
    let heard: HttpResponse['outcome'] = 'OK';
    const visit = this.#contextOf(message, (outcome) => {
      heard = outcome === 'asked' ? 'CONFIRMATION_REQUIRED' : outcome.ok ? 'OK' : outcome.error.code;
    });
    // A tool call is refused in a result that its agent reads, and a person's answer is always accepted.
    if (visit.limited && ![undefined, 'tools/call'].includes(methodOf(body) as string)) throw limitError(principal);
    const { toParamsErrorResponse } = await import('./mcp-server.js');
    const wrong = toParamsErrorResponse(body);
    if (wrong !== null) return { status: 200, headers: {}, body: wrong, outcome: 'VALIDATION_ERROR' };
    const session = this.#find(message);
    const response = session
      ? await this.#inSession(session, visit, message)
      : asksPeople(body)
        ? await this.#open(visit, message)
        : await this.#alone(visit, message);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      ...(isStream
        ? { body: '', stream: keptAlive(response.body as ReadableStream) }
        : { body: await response.text() }),
      outcome: heard,
    };
  }

  /** Ends every session, so that no connection is kept open. */
  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map(({ transport }) => transport.close()));
  }

  /** Ends the session of a message. @returns false when there is none */
  async end(message: McpMessage): Promise<boolean> {
    const session = this.#find(message);
    if (!session) return false;
    this.#sessions.delete(message.headers[sessionHeader]!);
    await session.transport.close();
    return true;
  }

  #contextOf({ principal: { token, permit }, query, requestId }: McpMessage, heard: McpContext['heard']): McpContext {
    const view = new McpView(this.tools(), token, readScope(query));
    return { token, view, requestId, heard, limited: permit.granted ? null : rateLimited(permit) };
  }

  #find({ headers, principal }: McpMessage): Session | null {
    const session = this.#sessions.get(headers[sessionHeader] ?? '');
    return session?.tokenId === principal.token.actor.id ? session : null;
  }

  async #alone(visit: McpContext, message: McpMessage): Promise<Response> {
    const { makeMcpServer, McpTransport } = await import('./mcp-server.js');
    const server = makeMcpServer(this.calls, () => visit, this.version);
    const transport = new McpTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const { [sessionHeader]: _, ...headers } = message.headers;
      return await transport.handleRequest(requestOf({ ...message, headers }), optionsOf(message));
    } finally {
      await server.close();
    }
  }

  async #open(visit: McpContext, message: McpMessage): Promise<Response> {
    const { makeMcpServer, McpTransport } = await import('./mcp-server.js');
    this.#makeRoom(visit.token.organizationId);
    const id = randomUUID();
    const transport = new McpTransport({ sessionIdGenerator: () => id });
    const session: Session = { tokenId: visit.token.actor.id, visit, transport, usedAt: performance.now() };
    await makeMcpServer(this.calls, () => session.visit, this.version).connect(transport);
    this.#sessions.set(id, session);
    return await transport.handleRequest(requestOf(message), optionsOf(message));
  }

  async #inSession(session: Session, visit: McpContext, message: McpMessage): Promise<Response> {
    session.usedAt = performance.now();
    // Calls read the context when they begin: the token and its scopes may have changed since the session began.
    session.visit = visit;
    return await session.transport.handleRequest(requestOf(message), optionsOf(message));
  }

  /** Ends idle sessions, and the oldest when an organization has too many. */
  #makeRoom(organizationId: string): void {
    const idle = performance.now() - sessionIdleMs;
    const isOwn = ({ visit }: Session) => visit.token.organizationId === organizationId;
    let own = [...this.#sessions.values()].filter(isOwn).length;
    for (const [id, session] of this.#sessions) {
      const isOneTooMany = isOwn(session) && own >= ownSessionsMax;
      if (session.usedAt > idle && this.#sessions.size < sessionsMax && !isOneTooMany) continue;
      this.#sessions.delete(id);
      if (isOwn(session)) own -= 1;
      void session.transport.close();
    }
  }
}

/** The method of a message; undefined for the response to a request of this server. */
const methodOf = (body: unknown): unknown => ((body ?? {}) as { method?: unknown }).method;

/** Whether the message begins a session of a client that can ask its person. */
function asksPeople(body: unknown): boolean {
  const { params } = (body ?? {}) as { params?: { capabilities?: { elicitation?: unknown } } };
  return methodOf(body) === 'initialize' && Boolean(params?.capabilities?.elicitation);
}

const requestOf = ({ headers }: Pick<McpMessage, 'headers'>): Request =>
  new Request('http://gateway/api/mcp', { method: 'POST', headers });

/** The library passes `authInfo` to the handler of exactly this message; its token is not used. */
const optionsOf = ({ body, principal: { token }, toolArguments }: McpMessage) => ({
  parsedBody: body,
  authInfo: { token: '', clientId: token.actor.id, scopes: [...token.scopes], extra: { toolArguments } },
});

function limitError({ permit }: Principal): ToolError {
  return new ToolError('RATE_LIMIT_REACHED', { limit: permit.limit }, { retryAt: new Date(permit.resetAt * 1000) });
}

/** JSON-RPC 2.0, section 5.1: parse error and invalid request. */
const numbers: Partial<Record<ErrorCode, number>> = { INVALID_JSON: -32_700, VALIDATION_ERROR: -32_600 };

export function refusalBody(outcome: Outcome): string {
  const { message, code } = outcome.ok ? failureOf(null).error : outcome.error;
  const number = numbers[code] ?? -32_000;
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: number, message, data: { code } } });
}
