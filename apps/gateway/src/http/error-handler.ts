import { ToolError } from '#tool-call';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toErrorResponse, sendResponse } from './response.js';

export interface DefectLog {
  error(facts: object, message: string): void;
}

/** A defect is logged with the request id, and sent without details. */
export function sendThrown(request: FastifyRequest, reply: FastifyReply, thrown: unknown, log: DefectLog): void {
  const { defect, ...answer } = toErrorResponse(asRefusal(request, thrown));
  // The route, not the path: links identify their recipients.
  if (defect) log.error({ requestId: request.id, route: request.routeOptions.url, err: thrown }, 'defect');
  if (!reply.sent) sendResponse(reply, answer);
}

/** Maps the frameworks' own errors to refusals of the catalogue; returns others unchanged. */
function asRefusal(request: FastifyRequest, thrown: unknown): unknown {
  if (thrown instanceof ToolError) return thrown;
  const { statusCode, status, message } = thrown as { statusCode?: number; status?: number; message?: string };
  const code = statusCode ?? status ?? 500;
  if (code === 404) return new ToolError('ROUTE_UNKNOWN', { method: request.method, path: pathOf(request) });
  if (code === 415) {
    return new ToolError('CONTENT_TYPE_UNSUPPORTED', { contentType: request.headers['content-type'] ?? '' });
  }
  return code < 500 ? new ToolError('REQUEST_MALFORMED', { problem: message ?? String(code) }) : thrown;
}

/** The path alone: a query may hold data that must not be repeated. */
const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0]!.slice(0, 200);
