import { Controller, Inject } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { Ctx, MessagePattern, NatsContext, Payload } from '@nestjs/microservices';
import type { Caller, Outcome } from '#tool-call';
import { ToolHost } from './tool-host.js';

/** The one controller of a service: every subject it serves leads to its host. */
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
      const caller = JSON.parse(context.getHeaders().get('caller')) as Caller;
      return this.host.handle(kind!, name!, body, caller);
    }
  }
  return HostController;
}
