import { All, Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ToolError } from '#tool-call';
import { announcedBytes } from '../http/body-budget.js';
import { RequestPipeline } from '../http/request-pipeline.js';
import { yieldForBody } from '../http/yield-for-body.js';
import { readJson } from '../http/read-json.js';
import { bodyLimit, callIdOf } from '../tool/tool-request.js';
import { toV1Response } from './v1-response.js';
import { V1Calls } from './v1-calls.js';

const prefix = '/api/v1';

@Controller('api')
export class V1Controller {
  constructor(
    @Inject(RequestPipeline) private readonly pipeline: RequestPipeline,
    @Inject(V1Calls) private readonly calls: V1Calls,
  ) {}

  @All('v1/*')
  call(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply, pathOf(request).slice(prefix.length));
  }

  /** The verification of addresses is also available beside the tools. */
  @Post('v2/verify')
  verify(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply, '/emails/verify');
  }

  #serve(request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> {
    // A HEAD is a GET whose body is not sent (RFC 9110 section 9.3.2).
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const matched = this.calls.find(method, path);
    const call = matched?.endpoint.name ?? 'unknown v1 endpoint';
    return this.pipeline.serve({ request, reply, call, answer: toV1Response }, async ({ token }) => {
      if (!matched) {
        const tried = `${prefix}${path}`.slice(0, 200);
        throw new ToolError('ROUTE_UNKNOWN', { method, path: tried, methods: this.calls.methodsOf(path) });
      }
      this.calls.admit(matched, token);
      const callId = callIdOf(request.headers['idempotency-key']);
      const body = await readJson(request, bodyLimit(matched.endpoint.parameters), token);
      await yieldForBody(token.organizationId, announcedBytes(request.headers));
      return toV1Response(
        await this.calls.run({
          ...matched,
          token,
          body,
          callId,
          query: request.query as Record<string, unknown>,
          requestId: request.id,
          arrivedAt: Date.now(),
        }),
      );
    });
  }
}

/** The encoded path, also of a target in absolute form (RFC 9112 section 3.2.2). */
const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0]!.replace(/^https?:\/\/[^/]*/i, '');
