import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyReply } from 'fastify';
import type { ErrorCode } from '#contracts';
import { envelope, failureOf } from '#tool-call';
import type { Outcome } from '#tool-call';

export interface HttpResponse {
  status: number;
  body: string;
  /** Sent instead of `body`, chunk by chunk. */
  stream?: ReadableStream;
  headers: Record<string, string>;
  outcome: 'OK' | ErrorCode;
}

/** Default Retry-After of a 503: services are back within seconds. */
const unavailableSeconds = '2';

export function toResponse(outcome: Outcome): HttpResponse {
  const { status, body, headers } = envelope(outcome);
  if (outcome.replayed) headers['idempotency-replayed'] = 'true';
  if (status === 503) headers['retry-after'] ??= unavailableSeconds;
  return { status, body: JSON.stringify(body), headers, outcome: outcome.ok ? 'OK' : outcome.error.code };
}

/** The response to a thrown error; `defect` if it was not an expected refusal. */
export function toErrorResponse(thrown: unknown): HttpResponse & { defect: boolean } {
  const { error, defect } = failureOf(thrown);
  return { ...toResponse({ ok: false, error }), defect };
}

/** Sends a response as JSON, with caching forbidden. */
export function sendResponse(reply: FastifyReply, { status, headers, body, stream }: HttpResponse): void {
  void reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .headers(headers)
    .header('cache-control', 'no-store')
    .send(stream ? Readable.fromWeb(stream) : body);
}
