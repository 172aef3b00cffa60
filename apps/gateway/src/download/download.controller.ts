import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, serviceCaller } from '#bus';
import { auditRequests, subscriberLifeRequests } from '#contracts';
import { ExportTokens } from '#link-token';
import type { ExportLink } from '#link-token';
import { RemoteFailure } from '#tool-call';
import { AttemptLimiter } from '../link/attempt-limiter.js';
import { readerLanguage } from '../link/open-link.js';
import { goneLinkPage, tooManyPage, unavailablePage } from '../web-page/recipient-pages.js';
import { sendPage } from '../web-page/send-html.js';

/** Deadline for reading a chunk, which is one row. */
const pieceMs = 10_000;

@Controller('d/:token')
export class DownloadController {
  readonly #guesses = new AttemptLimiter({ attemptsMax: 60, windowMs: 60_000, keysMax: 10_000 });
  readonly #life;
  readonly #audit;

  constructor(
    @Inject(ExportTokens) private readonly tokens: ExportTokens,
    @Inject(Bus) bus: Bus,
  ) {
    this.#life = bus.client(subscriberLifeRequests);
    this.#audit = bus.client(auditRequests);
  }

  @Get()
  async download(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const language = readerLanguage(request);
    const link = this.tokens.open((request.params as { token: string }).token, new Date());
    if (!link) {
      const page = this.#guesses.allows(request.ip) ? goneLinkPage : tooManyPage;
      return sendPage(reply, page(language));
    }
    try {
      if (link.exportId.startsWith('aex_')) return await this.#sendAudit(request, reply, link);
      const { file } = await this.#life.find_export_file({ exportId: link.exportId }, callerOf(request, link));
      if (file) this.#send(request, reply, { ...file, link });
      else sendPage(reply, goneLinkPage(language));
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      sendPage(reply, unavailablePage(language));
    }
  }

  async #sendAudit(request: FastifyRequest, reply: FastifyReply, link: ExportLink): Promise<void> {
    const read = async (after: string | null) =>
      (await this.#audit.read_audit_export({ exportId: link.exportId, after }, callerOf(request, link))).part;
    const first = await read(null);
    if (!first) return sendPage(reply, goneLinkPage(readerLanguage(request)));
    void reply.headers(fileHeaders(first.name));
    if (request.method === 'HEAD') return void reply.send('');
    const parts = async function* () {
      for (let part: typeof first | null = first; part; part = part.next === null ? null : await read(part.next))
        yield Buffer.from(part.text);
    };
    void reply.send(Readable.from(parts(), { objectMode: false, highWaterMark: 1 }));
  }

  /**
   * Sends the stored chunks, each a gzip member; unpacked for clients without gzip. Chromium reads the first member of a
   * response only, so several are packed again as one. At most two chunks are in memory.
   */
  #send(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, chunks, bytes, link }: { name: string; chunks: number; bytes: number; link: ExportLink },
  ): void {
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(request.headers['accept-encoding'] ?? '');
    const isAsStored = takesGzip && chunks === 1;
    void reply.headers({
      ...fileHeaders(name),
      vary: 'accept-encoding',
      ...(takesGzip && { 'content-encoding': 'gzip' }),
      // Without a length, a file that breaks off lacks the last chunk of the transfer coding.
      ...(isAsStored && { 'content-length': bytes }),
    });
    if (request.method === 'HEAD') return void reply.send('');
    const pieces = Readable.from(this.#pieces(request, link, chunks), { objectMode: false, highWaterMark: 1 });
    if (isAsStored) return void reply.send(pieces);
    const plain = createGunzip();
    const sent = takesGzip ? createGzip({ level: constants.Z_BEST_SPEED }) : plain;
    pipeline(takesGzip ? [pieces, plain, sent] : [pieces, plain], () => undefined);
    void reply.send(sent);
  }

  async *#pieces(request: FastifyRequest, link: ExportLink, chunks: number): AsyncGenerator<Buffer> {
    for (let chunk = 0; chunk < chunks; chunk++) {
      const { content } = await this.#life.get_export_chunk(
        { exportId: link.exportId, chunk },
        callerOf(request, link),
      );
      if (content === null) throw new Error(`piece ${chunk} of export ${link.exportId} is gone`);
      yield Buffer.from(content, 'base64');
    }
  }
}

const fileHeaders = (name: string) => ({
  'content-type': `${name.endsWith('.json') ? 'application/json' : 'text/csv'}; charset=utf-8`,
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
});

const callerOf = (request: FastifyRequest, { organizationId }: ExportLink) =>
  serviceCaller(organizationId, request.id, pieceMs);
