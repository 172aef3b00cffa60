import type { CustomTransportStrategy, MessageHandler } from '@nestjs/microservices';
import { NatsContext, ServerNats } from '@nestjs/microservices';
import { headers as newHeaders } from '@nats-io/transport-node';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { firstValueFrom, isObservable } from 'rxjs';
import { failureOf, ToolError } from '#tool-call';
import { connectionOptions, repliedAtHeader } from './bus.js';
import type { BusOptions } from './bus.js';

/** The largest answer in bytes; the server's max_payload is 8 MB. */
const replyBytesMax = 8_000_000;

/**
 * Nest's NATS transport with our wire: the body is the call's JSON arguments and the answer is its outcome, without
 * Nest's packets. Stopping takes no new call, lets those under way answer, and then leaves.
 */
export class BusServer extends ServerNats implements CustomTransportStrategy {
  readonly #namespace: string;
  readonly #queue: string;
  #client: NatsConnection | null = null;
  #open: Subscription[] = [];
  #inFlight = 0;
  #whenIdle: (() => void) | null = null;

  constructor(options: BusOptions & { queue: string }) {
    super(connectionOptions(options));
    this.#namespace = options.namespace;
    this.#queue = options.queue;
  }

  /** Has begun when NATS knows of every call that is served: a question that comes sooner would find nobody. */
  override start(callback: (error?: unknown) => void): void {
    super.start(() => void this.#client!.flush().then(() => callback(), callback));
  }

  override bindEvents(client: NatsConnection): void {
    this.#client = client;
    for (const [channel, handler] of this.messageHandlers) {
      this.#open.push(
        client.subscribe(`${this.#namespace}.${channel}`, {
          queue: this.#queue,
          callback: (error, message) => {
            if (error) this.logger.error(error);
            else void this.#answer(handler, message);
          },
        }),
      );
    }
  }

  async #answer(handler: MessageHandler, message: Msg): Promise<void> {
    this.#inFlight += 1;
    try {
      const subject = message.subject.slice(this.#namespace.length + 1);
      const answer: unknown = await handler(message.data, new NatsContext([subject, message.headers]));
      const outcome: unknown = isObservable(answer) ? await firstValueFrom(answer) : answer;
      const body = Buffer.from(JSON.stringify(outcome));
      const headers = newHeaders();
      headers.set(repliedAtHeader, String(Date.now()));
      message.respond(body.length <= replyBytesMax ? body : tooLarge, { headers });
    } catch (error) {
      this.logger.error(error);
      message.respond(defect);
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#whenIdle?.();
    }
  }

  override async close(): Promise<void> {
    if (!this.#client || this.#client.isClosed()) return;
    await Promise.all(this.#open.map((subscription) => subscription.drain().catch(() => undefined)));
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#client.drain().catch(() => undefined);
    this.#client = null;
  }
}

const refusal = (thrown: unknown): string => JSON.stringify({ ok: false, error: failureOf(thrown).error });
const defect = refusal(null);
const tooLarge = refusal(new ToolError('RESULT_TOO_LARGE', { bytesMax: replyBytesMax }));
