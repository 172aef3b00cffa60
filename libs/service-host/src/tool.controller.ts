import { Controller, Inject } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { NatsContext } from '@nestjs/microservices';
import { CallerReader } from '#bus';
import { traced } from '#observability';
import type { Outcome } from '#tool-call';
import { ToolHost } from './tool-host.js';

const callers = new CallerReader();

export function ToolController(service: string): Type<unknown> {
  @Controller()
  class HostController {
    constructor(@Inject(ToolHost) private readonly host: ToolHost) {}

    @MessagePattern(`tools.${service}.*`)
    tool(@Payload() body: Uint8Array, @Ctx() context: NatsContext): Promise<Outcome> {
      return this.#handle(body, context);
    }

    @MessagePattern(`requests.${service}.*`)
    request(@Payload() body: Uint8Array, @Ctx() context: NatsContext): Promise<Outcome> {
      return this.#handle(body, context);
    }

    @MessagePattern(`describe.${service}.*`)
    describe(@Payload() body: Uint8Array, @Ctx() context: NatsContext): Promise<Outcome> {
      return this.#handle(body, context);
    }

    #handle(body: Uint8Array, context: NatsContext): Promise<Outcome> {
      const [kind, , name] = context.getSubject().split('.');
      const headers = context.getHeaders();
      const caller = callers.read(headers.get('caller'));
      const attributes = { 'rpc.system': 'nats', 'rpc.service': service, 'rpc.method': name! };
      const parent = headers.get('traceparent') || undefined;
      return traced(`${kind} ${name}`, { kind: 'server', parent, attributes }, async (span) => {
        const outcome = await this.host.handle(kind!, name!, body, caller);
        span.set({ 'tidings.outcome': outcome.ok ? 'OK' : outcome.error.code });
        return outcome;
      });
    }
  }
  return HostController;
}
