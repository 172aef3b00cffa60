import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '#tool-call';
import { announcedBytes } from '../http/body-budget.js';
import { RequestPipeline } from '../http/request-pipeline.js';
import { toResponse } from '../http/response.js';
import type { HttpResponse } from '../http/response.js';
import { assertForm } from '../http/json-body.js';
import { yieldForBody } from '../http/yield-for-body.js';
import { readJson } from '../http/read-json.js';
import { McpEndpoint, refusalBody } from './mcp-endpoint.js';
import { takeToolArguments } from './tool-arguments.js';

const bodyBytesMax = 5 * 1_048_576;

const refused = (outcome: Outcome): HttpResponse => ({ ...toResponse(outcome), body: refusalBody(outcome) });

@Controller('api/mcp')
export class McpController implements OnModuleDestroy {
  constructor(
    @Inject(RequestPipeline) private readonly pipeline: RequestPipeline,
    @Inject(McpEndpoint) private readonly endpoint: McpEndpoint,
  ) {}

  async onModuleDestroy(): Promise<void> {
    await this.endpoint.close();
  }

  @All()
  plain(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply);
  }

  @All('sse')
  sse(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply);
  }

  async #serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const facts = { request, reply, call: 'mcp', answer: refused, limitedBy: 'work' as const };
    await this.pipeline.serve(facts, async (principal) => {
      const body = request.method === 'POST' ? await readJson(request, bodyBytesMax, principal.token) : null;
      await yieldForBody(principal.token.organizationId, announcedBytes(request.headers));
      // The arguments are checked with the tool's schema, so that one refusal lists the faults of both.
      const { rest, toolArguments } = takeToolArguments(body);
      assertForm(rest);
      const message = {
        principal,
        requestId: request.id,
        query: request.query as Record<string, unknown>,
        body: rest,
        toolArguments,
        headers: textHeaders(request.headers),
      };
      if (request.method === 'DELETE' && (await this.endpoint.end(message))) return nothing(200);
      // The server sends no messages of its own, so that there is no stream to open.
      if (request.method !== 'POST') return { ...nothing(405), headers: { allow: 'POST' } };
      return await this.endpoint.answer(message);
    });
  }
}

const nothing = (status: number): HttpResponse => ({ status, headers: {}, body: '', outcome: 'OK' });

const textHeaders = (headers: FastifyRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
