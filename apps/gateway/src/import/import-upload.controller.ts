import type { IncomingMessage } from 'node:http';
import { Controller, Inject, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus } from '#bus';
import { Semaphore, SemaphoreTimeout } from '#concurrency';
import { importPieceBytes, importRequests, subscriberImportTools } from '#contracts';
import { boundsOf, callDeadlineMs, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { CallerFacts } from '../auth/caller-facts.js';
import { limitBody, UploadDeadline } from '../http/body-deadline.js';
import type { UploadRate } from '../http/body-deadline.js';
import { RequestPipeline } from '../http/request-pipeline.js';
import { toResponse } from '../http/response.js';
import { assertScope, assertToolsets } from '../tool/tool-calls.js';

const rate: UploadRate = { bytesPerSecond: 64_000, windowMs: 30_000, totalMs: 2 * 3_600_000 };
/** Uploads at a time: each holds some megabytes. */
const uploadsMax = { limit: 24, limitPerKey: 3 };
/** Milliseconds that an upload waits for another to end. */
const waitMs = 20_000;
const route = 'PUT /api/v2/imports/{importId}/file';

/** Receives the files of imports and hands them on in pieces, so that memory does not depend on their size. */
@Controller('api/v2/imports/:importId/file')
export class ImportUploadController {
  readonly #uploads = new Semaphore(uploadsMax);
  readonly #imports;

  constructor(
    @Inject(RequestPipeline) private readonly pipeline: RequestPipeline,
    @Inject(Bus) bus: Bus,
  ) {
    this.#imports = bus.client(importRequests);
  }

  @Put()
  put(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const options = { answer: toResponse, acceptsSessions: true, bodyBoundedBy: 'work' as const };
    return this.pipeline.serve({ request, reply, call: 'import upload', ...options }, async ({ token }) => {
      const upload = readUpload(request, token);
      const data = await this.#admit(token, () => this.#receive(request, token, upload));
      return toResponse({ ok: true, data });
    });
  }

  async #admit<T>({ organizationId }: CallerFacts, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#uploads.run({ key: organizationId, deadline: Date.now() + waitMs }, work);
    } catch (error) {
      throw error instanceof SemaphoreTimeout ? new ToolError('SERVICE_UNAVAILABLE', { service: 'gateway' }) : error;
    }
  }

  async #receive(request: FastifyRequest, token: CallerFacts, { offset, size }: UploadPlace) {
    const { importId } = request.params as { importId: string };
    let place = offset;
    const handOn = async (content: Buffer, isLast: boolean) => {
      const input = { importId, offset: place, content: content.toString('base64'), isLast };
      const answer = await this.#imports.add_import_bytes(input, callerOf(request, token));
      place = answer.import.receivedBytes;
      return answer;
    };
    await handOn(Buffer.alloc(0), false);
    const deadline = new UploadDeadline(request.raw, rate);
    try {
      await readPieces(request.raw, offset, deadline, (piece) => deadline.pause(() => handOn(piece, false)));
    } catch (error) {
      // What is left of the body is discarded within the limit of other bodies.
      limitBody(request.raw);
      request.raw.resume();
      throw error;
    }
    return await handOn(Buffer.alloc(0), size === null || place >= size);
  }
}

interface UploadPlace {
  /** Where the body begins in the file. */
  offset: number;
  /** Bytes of the whole file; null if it ends with this body. */
  size: number | null;
}

/** Checks a request for an upload before its body is read. */
function readUpload({ headers, query }: FastifyRequest, caller: CallerFacts): UploadPlace {
  assertScope({ name: route }, 'write', caller);
  assertToolsets(route, subscriberImportTools.calls.create_subscriber_import, caller.toolsets);
  const contentType = headers['content-type'] ?? '';
  if (!/^text\/csv\s*(;|$)/i.test(contentType))
    throw new ToolError('CONTENT_TYPE_UNSUPPORTED', { contentType, expected: 'text/csv' });
  if (headers['content-encoding'] !== undefined)
    throw new ToolError('REQUEST_MALFORMED', { problem: 'its body is compressed, and bodies are not unpacked here' });
  const { offset = '0', size } = query as { offset?: unknown; size?: unknown };
  return { offset: readBytes('offset', offset), size: size === undefined ? null : readBytes('size', size) };
}

function readBytes(name: string, given: unknown): number {
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  const issues = [{ path: [name], message: 'must be a whole number of bytes' }];
  throw new ToolError('PARAMETERS_INVALID', { summary: `${name} must be a whole number of bytes.` }, { issues });
}

/**
 * Reads a body in pieces that end where pieces of the file end; of a body that breaks off, what arrived is handed on.
 * @throws ToolError REQUEST_MALFORMED when the body was broken off; any error of `handOn`
 */
async function readPieces(
  body: IncomingMessage,
  offset: number,
  deadline: UploadDeadline,
  handOn: (piece: Buffer) => Promise<unknown>,
): Promise<void> {
  let parts: Buffer[] = [];
  let room = importPieceBytes - (offset % importPieceBytes);
  const flush = async () => {
    const piece = Buffer.concat(parts);
    [parts, room] = [[], importPieceBytes];
    await handOn(piece);
  };
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    let chunk = await nextChunk(chunks);
    for (; chunk !== 'end' && chunk !== 'broken off'; chunk = await nextChunk(chunks)) {
      deadline.add(chunk.length);
      for (let rest = chunk; rest.length > 0;) {
        const part = rest.subarray(0, room);
        parts.push(part);
        room -= part.length;
        rest = rest.subarray(part.length);
        if (room === 0) await flush();
      }
    }
    if (parts.length > 0) await flush();
    if (chunk === 'broken off') throw new ToolError('REQUEST_MALFORMED', { problem: 'its body was broken off' });
  } finally {
    // Without this, the rest of a refused body would not flow, and its connection would serve no other request.
    await chunks.return?.();
  }
}

async function nextChunk(chunks: AsyncIterableIterator<Buffer>): Promise<Buffer | 'end' | 'broken off'> {
  try {
    const { done, value } = await chunks.next();
    return done ? 'end' : value;
  } catch {
    return 'broken off';
  }
}

const callerOf = (request: FastifyRequest, token: CallerFacts): Caller => ({
  organizationId: token.organizationId,
  tokenId: token.tokenId,
  actor: token.actor,
  asks: token.asks,
  requestId: request.id,
  callId: null,
  deadline: Date.now() + callDeadlineMs,
  now: new Date(Date.now()),
  source: 'tools',
  scopes: token.scopes,
  bounds: boundsOf(token),
});
