import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { announcedBytes } from '../http/body-budget.js';
import type { Principal } from '../auth/authenticator.js';
import { RequestPipeline } from '../http/request-pipeline.js';
import { toResponse } from '../http/response.js';
import type { HttpResponse } from '../http/response.js';
import { readJson } from '../http/read-json.js';
import { questionStatus } from './confirmation-question.js';
import { readIfMatch } from './if-match.js';
import { ToolCalls } from './tool-calls.js';
import { ToolListing } from './tool-listing.js';
import { bodyLimit, callIdOf } from './tool-request.js';

const listed = (body: string): HttpResponse => ({ status: 200, headers: {}, body, outcome: 'OK' });

@Controller('api/v2/tools')
export class ToolController {
  constructor(
    @Inject(RequestPipeline) private readonly pipeline: RequestPipeline,
    @Inject(ToolCalls) private readonly calls: ToolCalls,
    @Inject(ToolListing) private readonly listing: ToolListing,
  ) {}

  @Get()
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply, 'tool listing', () => listed(this.listing.all));
  }

  @Get(':name')
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply, 'tool listing', () =>
      listed(this.listing.one(this.calls.get(nameOf(request)).name)),
    );
  }

  @Post(':name')
  call(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const name = nameOf(request);
    const call = this.calls.isKnown(name) ? name : 'unknown tool';
    return this.#serve(request, reply, call, async ({ token }) => {
      const entry = this.calls.find(name, token);
      const callId = callIdOf(request.headers['idempotency-key']);
      const ifMatch = readIfMatch(request.headers['if-match'], entry);
      const body = await readJson(request, bodyLimit(entry.contract.input), token);
      const result = await this.calls.run({
        entry,
        token,
        body,
        callId,
        ifMatch,
        bodyBytes: announcedBytes(request.headers),
        arrivedAt: Date.now(),
        requestId: request.id,
        source: 'tools',
      });
      if (!('question' in result)) return toResponse(result);
      const { question } = result;
      return { status: questionStatus, headers: {}, body: JSON.stringify(question), outcome: question.code };
    });
  }

  #serve(
    request: FastifyRequest,
    reply: FastifyReply,
    call: string,
    work: (principal: Principal) => HttpResponse | Promise<HttpResponse>,
  ): Promise<void> {
    const concernsInstallation = this.calls.concernsInstallation(call);
    return this.pipeline.serve(
      {
        request,
        reply,
        call,
        answer: toResponse,
        acceptsSessions: true,
        concernsInstallation,
        opensWithoutFactor: call === 'get_me',
      },
      work,
    );
  }
}

const nameOf = ({ params }: FastifyRequest): string => (params as { name: string }).name;
