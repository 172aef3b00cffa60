import { clientOf, LiveUpdates } from '#bus';
import type { CallKind, Client, ServiceBus } from '#bus';
import { liveUpdateBroadcast } from '#contracts';
import type { CallSet } from '#contracts';
import type { Caller, Outcome } from '#tool-call';

export interface Responder {
  handle(kind: string, name: string, body: Uint8Array, caller: Caller): Promise<Outcome>;
}

/** Services of one process talking to each other without a broker; arguments and answers still travel as JSON. */
export class LocalBus implements ServiceBus {
  readonly connected = true;
  readonly disconnects = 0;
  readonly live = new LiveUpdates((update) => this.broadcast(liveUpdateBroadcast, update));
  readonly #hosts = new Map<string, Responder>();
  readonly #hearers: { subject: string; hear: (message: unknown) => void }[] = [];

  serve(service: string, host: Responder): void {
    this.#hosts.set(service, host);
  }

  async without<T>(service: string, work: () => Promise<T>): Promise<T> {
    const host = this.#hosts.get(service);
    this.#hosts.delete(service);
    try {
      return await work();
    } finally {
      if (host) this.#hosts.set(service, host);
    }
  }

  async request(
    kind: CallKind,
    target: { service: string; name: string },
    input: unknown,
    caller: Caller,
  ): Promise<Outcome> {
    const host = this.#hosts.get(target.service);
    if (!host)
      return {
        ok: false,
        error: {
          code: 'UNAVAILABLE',
          reason: 'SERVICE_UNAVAILABLE',
          message: `The ${target.service} service does not answer.`,
        },
      };
    const travelled = JSON.parse(JSON.stringify(caller)) as Caller;
    const outcome = await host.handle(kind, target.name, new TextEncoder().encode(JSON.stringify(input)), travelled);
    return JSON.parse(JSON.stringify(outcome)) as Outcome;
  }

  client<S extends CallSet>(set: S): Client<S> {
    return clientOf(set, (...question) => this.request(...question));
  }

  broadcast(subject: string, message: unknown): void {
    for (const hearer of this.#hearers) if (hearer.subject === subject) hearer.hear(message);
  }

  onBroadcast<T>(subject: string, hear: (message: T) => void): void {
    this.#hearers.push({ subject, hear: hear as (message: unknown) => void });
  }
}
