import type { ServerResponse } from 'node:http';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { liveNouns } from '#contracts';
import type { LiveNoun } from '#contracts';
import { parseInput, rateLimitHeaders, ToolError } from '#tool-call';
import { Authenticator, rateLimited } from '../auth/authenticator.js';
import type { LiveCredential } from '../auth/live-credential.js';
import { sendResponse, toErrorResponse, toResponse } from '../http/response.js';
import { LiveStreams } from './live-streams.service.js';

const query = z.strictObject({
  nouns: z
    .string()
    .transform((text) => text.split(',').map((noun) => noun.trim()))
    .pipe(z.array(z.enum(liveNouns)))
    .optional(),
  organization: z.string().max(100).optional(),
});

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would gather events otherwise.
  'x-accel-buffering': 'no',
};

@Controller('api/events')
export class LiveController implements OnModuleDestroy {
  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(LiveStreams) private readonly streams: LiveStreams,
  ) {}

  async onModuleDestroy(): Promise<void> {
    await this.streams.stop();
  }

  @Get()
  async events(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      const { credential, permit } = await this.authenticator.liveCredential(request);
      void reply.headers(rateLimitHeaders(permit));
      if (!permit.granted) return sendResponse(reply, toResponse(rateLimited(permit)));
      const { nouns, organization } = parseInput(query, request.query);
      const selection = {
        organizations: selectedOrganizations(credential, organization),
        nouns: nouns ? new Set<LiveNoun>(nouns) : null,
      };
      const lastEventId = request.headers['last-event-id'];
      await this.streams.open(credential, selection, typeof lastEventId === 'string' ? lastEventId : null, () =>
        openResponse(request, reply),
      );
    } catch (error) {
      sendResponse(reply, toErrorResponse(error));
    }
  }
}

function selectedOrganizations({ organizations }: LiveCredential, named: string | undefined): string[] {
  const selected = organizations.filter(
    ({ id, number }) => named === undefined || id === named || (number !== null && String(number) === named),
  );
  if (named !== undefined && selected.length === 0) throw new ToolError('ORGANIZATION_NOT_FOUND', { id: named });
  return selected.map(({ id }) => id);
}

/** Sends the header fields, and takes the response from the server, which would wait for its end. */
function openResponse(request: FastifyRequest, reply: FastifyReply): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  request.socket.setNoDelay(true);
  raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...streamHeaders });
  if (request.method === 'HEAD') raw.end();
  return raw;
}
