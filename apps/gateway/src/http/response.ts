import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyReply } from 'fastify';
import type { ErrorCode } from '#contracts';
import { envelope, failureOf } from '#tool-call';
import type { Outcome } from '#tool-call';

/** What goes back over HTTP. */
export interface HttpResponse {
  status: number;
  body: string;
  /** In the place of a body: what comes bit by bit. */
  stream?: ReadableStream;
  headers: Record<string, string>;
  /** For logs and metrics. */
  outcome: 'OK' | ErrorCode;
}

/** When to come again after a 503, where nobody said it: services are back within seconds. */
const unavailableSeconds = '2';

/** An outcome in its envelope. */
export function toResponse(outcome: Outcome): HttpResponse {
  const { status, body, headers } = envelope(outcome);
  if (outcome.replayed) headers['idempotency-replayed'] = 'true';
  if (status === 503) headers['retry-after'] ??= unavailableSeconds;
  return { status, body: JSON.stringify(body), headers, outcome: outcome.ok ? 'OK' : outcome.error.code };
}

/** The answer to something thrown; `defect` when it was not an expected refusal. */
export function toErrorResponse(thrown: unknown): HttpResponse & { defect: boolean } {
  const { error, defect } = failureOf(thrown);
  return { ...toResponse({ ok: false, error }), defect };
}

/** Sends an answer as JSON that nobody may keep. */
export function sendResponse(reply: FastifyReply, { status, headers, body, stream }: HttpResponse): void {
  void reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .headers(headers)
    .header('cache-control', 'no-store')
    .send(stream ? Readable.fromWeb(stream) : body);
}
