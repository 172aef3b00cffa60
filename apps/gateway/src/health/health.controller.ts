import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Bus } from '#bus';
import { failedChecks } from '#observability';
import type { Metrics } from '#observability';

/** The gateway's measurements. */
export const METRICS = Symbol('metrics');

/** What a gateway needs to do its work. */
export const readinessOf = (bus: Bus) => ({ bus: () => bus.connected });

/** Whether the process lives, can do its work, and what it measured. */
@Controller()
export class HealthController {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(METRICS) private readonly metrics: Metrics,
  ) {}

  @Get('healthz')
  live(@Res() reply: FastifyReply): void {
    void reply.send({ status: 'ok' });
  }

  // Decision: ready = the bus is connected. A service that is down is told call by call, and restarting gateways for it
  // would take the public links and the other services' tools away too.
  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const failed = await failedChecks(readinessOf(this.bus));
    void reply
      .code(failed.length === 0 ? 200 : 503)
      .send(failed.length === 0 ? { status: 'ready' } : { status: 'not ready', failed });
  }

  @Get('metrics')
  async measurements(@Res() reply: FastifyReply): Promise<void> {
    const { registry } = this.metrics;
    void reply.header('content-type', registry.contentType).send(await registry.metrics());
  }
}
