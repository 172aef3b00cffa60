import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Liveness, on the public port; readiness and metrics are on the health port only. */
@Controller()
export class HealthController {
  // Decision: a load balancer and `tidings doctor` see only this port, and the response reveals nothing.
  @Get('healthz')
  live(@Res() reply: FastifyReply): void {
    void reply.send({ status: 'ok' });
  }
}
