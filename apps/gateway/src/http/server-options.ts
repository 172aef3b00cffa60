import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { ToolError } from '#tool-call';
import { toErrorResponse, sendResponse } from './response.js';
import { limitBody } from './body-deadline.js';
import { requestIdOf } from './request-id.js';

/** Longer than the 60 s for which load balancers keep a connection open, so that they close first. */
const keepAliveMs = 65_000;
/** A link token may be as long as a request line. */
const pathPartLengthMax = 16_384;

/** Options of the HTTP server: timeouts, request ids, and the envelope for requests refused before routing. */
export const edgeOptions = (facts: {
  trustProxy: FastifyHttpOptions<Server>['trustProxy'];
  https: boolean;
}): FastifyHttpOptions<Server> => ({
  trustProxy: facts.trustProxy,
  keepAliveTimeout: keepAliveMs,
  // Headers have Node's limit of 60 s; bodies have limits of their own, since an upload takes longer than any call.
  requestTimeout: 0,
  // While stopping, calls on open connections are still served, with a header that ends the connection.
  return503OnClosing: false,
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: pathPartLengthMax },
  genReqId: (request) => requestIdOf(request.headers['x-request-id']),
  frameworkErrors: (error, request, reply) => {
    void reply.headers({ ...fixedHeaders(facts.https), 'x-request-id': request.id });
    sendResponse(reply, toErrorResponse(new ToolError('REQUEST_MALFORMED', { problem: error.message })));
  },
  clientErrorHandler: refuseUnreadable,
});

/** Headers of every response: browsers must not guess content types, nor show a response in a frame. */
export const fixedHeaders = (https: boolean): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(https && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
});

/** RFC 9112 section 3.2: a request with more than one Host is answered 400, even if the fields agree. */
const hostFields = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((name, place) => place % 2 === 0 && name.toLowerCase() === 'host').length;

/** Adds headers to every response, leaves bodies to the handlers, and closes connections while stopping. */
export function installEdge(server: FastifyInstance, facts: { https: boolean; isStopping: () => boolean }): void {
  const fixed = fixedHeaders(facts.https);
  server.removeAllContentTypeParsers();
  // Bodies are read by the handlers: after token and rate limit, and up to the limit of the tool.
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) limitBody(request.raw);
    void reply.headers(fixed).header('x-request-id', request.id);
    if (hostFields(request.raw.rawHeaders) > 1) {
      return sendResponse(
        reply,
        toErrorResponse(new ToolError('REQUEST_MALFORMED', { problem: 'it has two Host fields' })),
      );
    }
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (facts.isStopping()) void reply.header('connection', 'close');
    done();
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Answers bytes that are no HTTP request, or arrive too slowly (RFC 9110 section 15.5). */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
  const problem = STATUS_CODES[status]!;
  const { body } = toErrorResponse(new ToolError('REQUEST_MALFORMED', { problem }));
  socket.end(
    `HTTP/1.1 ${status} ${problem}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
