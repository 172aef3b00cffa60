import { setTimeout as pause } from 'node:timers/promises';
import type { CustomTransportStrategy, MessageHandler } from '@nestjs/microservices';
import { NatsContext, ServerNats } from '@nestjs/microservices';
import { headers as newHeaders } from '@nats-io/transport-node';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { firstValueFrom, isObservable } from 'rxjs';
import { failureOf, ToolError } from '#tool-call';
import { connectElsewhere, connectionOptions, onServerEnd, repliedAtHeader } from './bus.js';
import type { BusOptions } from './bus.js';
import { leaveBlockedSocket } from './liveness.js';
import { noticeHeader, noticeMs, processing } from './requester.js';
import { WriteBatch } from './write-batch.js';

/** The largest answer in bytes; the server's max_payload is 8 MB. */
const replyBytesMax = 8_000_000;

/** Far more than subscriptions need to spread over a cluster, far less than the 5 s until an ending server breaks off. */
const interestMs = 1_000;

interface ServedConnection {
  client: NatsConnection;
  subscriptions: Subscription[];
  calls: Set<Promise<void>>;
}

/**
 * Nest's NATS transport with our wire format: the body is the call's JSON arguments, the reply its outcome. When
 * stopped, or when its server announces a shutdown (after serving over another server), it accepts no new call, answers
 * the running ones and disconnects.
 */
export class BusServer extends ServerNats implements CustomTransportStrategy {
  readonly #connect: Pick<BusOptions, 'url' | 'name'>;
  readonly #namespace: string;
  readonly #queue: string;
  readonly #served = new Set<ServedConnection>();
  readonly #replies = new WriteBatch();
  #closing = false;

  constructor(options: BusOptions & { queue: string }) {
    super(connectionOptions(options));
    this.#connect = options;
    this.#namespace = options.namespace;
    this.#queue = options.queue;
  }

  /** Calls back once NATS has registered every subscription; an earlier request would find no responder. */
  override start(callback: (error?: unknown) => void): void {
    const flushed = () => Promise.all([...this.#served].map(({ client }) => client.flush()));
    super.start(() => void flushed().then(() => callback(), callback));
  }

  override bindEvents(client: NatsConnection): void {
    const served: ServedConnection = { client, subscriptions: [], calls: new Set() };
    this.#served.add(served);
    for (const [channel, handler] of this.messageHandlers) {
      served.subscriptions.push(
        client.subscribe(`${this.#namespace}.${channel}`, {
          queue: this.#queue,
          callback: (error, message) => {
            if (error) return this.logger.error(error);
            const call = this.#answer(handler, message).finally(() => served.calls.delete(call));
            served.calls.add(call);
          },
        }),
      );
    }
    void leaveBlockedSocket(client);
    let moving = false;
    void onServerEnd(client, () => {
      if (!moving) this.#move(served).catch((error: unknown) => this.logger.error(error));
      moving = true;
    });
  }

  async #move(from: ServedConnection): Promise<void> {
    const client = await connectElsewhere(this.#connect);
    if (this.#closing) return await client.close();
    void this.handleStatusUpdates(client);
    this.bindEvents(client);
    await client.flush();
    // The other servers learn of the new subscriptions a moment later: until then the old ones keep taking calls.
    await pause(interestMs);
    await this.#leave(from);
  }

  async #leave(served: ServedConnection): Promise<void> {
    await Promise.all(served.subscriptions.map((subscription) => subscription.drain().catch(() => undefined)));
    await Promise.all(served.calls);
    await served.client.drain().catch(() => undefined);
    this.#served.delete(served);
  }

  async #answer(handler: MessageHandler, message: Msg): Promise<void> {
    const notice = message.headers?.has(noticeHeader) ? setTimeout(() => this.#notify(message), noticeMs) : undefined;
    try {
      const subject = message.subject.slice(this.#namespace.length + 1);
      const answer: unknown = await handler(message.data, new NatsContext([subject, message.headers]));
      const outcome: unknown = isObservable(answer) ? await firstValueFrom(answer) : answer;
      const body = Buffer.from(JSON.stringify(outcome));
      const headers = newHeaders();
      headers.set(repliedAtHeader, String(Date.now()));
      await this.#replies.add(() => void message.respond(body.length <= replyBytesMax ? body : tooLarge, { headers }));
    } catch (error) {
      this.logger.error(error);
      // Without a connection even this fails, and the caller sees that the connection is lost.
      await this.#replies.add(() => void message.respond(defect)).catch(() => undefined);
    } finally {
      clearTimeout(notice);
    }
  }

  #notify(message: Msg): void {
    const headers = newHeaders(processing, 'Processing');
    // Without a connection this fails; the caller then counts the call as lost.
    void this.#replies.add(() => void message.respond(undefined, { headers })).catch(() => undefined);
  }

  override async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#served].map((served) => this.#leave(served)));
  }
}

const refusal = (thrown: unknown): string => JSON.stringify({ ok: false, error: failureOf(thrown).error });
const defect = refusal(null);
const tooLarge = refusal(new ToolError('RESULT_TOO_LARGE', { bytesMax: replyBytesMax }));
