import { setTimeout as pause } from 'node:timers/promises';
import { connect, headers as newHeaders, TimeoutError } from '@nats-io/transport-node';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { domainRequests, liveUpdateBroadcast } from '#contracts';
import type { CallContract, CallSet, Data, Input } from '#contracts';
import { traced, traceparent } from '#observability';
import { callDeadlineMs, failureOf, RemoteFailure, ToolError } from '#tool-call';
import type { Caller, Outcome } from '#tool-call';
import { writeCaller } from './caller-header.js';
import { ClockSkews } from './clock-skew.js';
import { LiveUpdates } from './live-updates.js';
import { leaveBlockedSocket, pingSettings } from './liveness.js';
import { Placement } from './placement.js';
import { ReplyLost, Requester } from './requester.js';

export interface BusOptions {
  /** `nats://[token@]host:port`, several separated by commas. */
  url: string;
  /** Prefix of every subject, stream and bucket: several installations or test suites can share one server. */
  namespace: string;
  name: string;
  /** The namespace in which the domain service answers, for a process of another cell; the own one without it. */
  home?: string | undefined;
  /** Namespaces of the other cells, for services that serve the organizations of all cells. */
  cells?: readonly string[];
  /**
   * For how many milliseconds a call is offered again while no process takes it (so that it has done nothing), its
   * deadline permitting.
   */
  repeatMs?: number;
}

export type Client<S extends CallSet> = {
  [K in keyof S['calls']]: (
    input: Input<S['calls'][K] & CallContract>,
    caller: Caller,
  ) => Promise<Data<S['calls'][K] & CallContract>>;
};

export function connectionOptions({ url, name }: Pick<BusOptions, 'url' | 'name'>) {
  const urls = url.split(',').map((one) => new URL(one));
  const { username, password } = urls[0]!;
  return {
    servers: urls.map(({ host }) => host),
    name,
    ...(username &&
      (password
        ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
        : { token: decodeURIComponent(username) })),
    maxReconnectAttempts: -1,
    // A token that is changed on one side first is refused for a while, not for ever.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    noAsyncTraces: true,
    waitOnFirstConnect: false,
    ...pingSettings,
    ignoreClusterUpdates: true,
  };
}

/** Of a reply: the service's wall clock in milliseconds since the epoch. */
export const repliedAtHeader = 'at';

const repeatPauseMs = 100;

/** A call waits meanwhile; asked once an organization. */
const placementMs = 3_000;

/** Connects to NATS; afterwards the connection mends itself for as long as the process lives. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const connection = await connect(connectionOptions(options));
  return new Bus(connection, options);
}

/**
 * Connects beside a connection whose server has announced its end (lame duck mode), which takes no new ones: to another
 * server, or to the next one at this address, however long that takes.
 */
export const connectElsewhere = (options: Pick<BusOptions, 'url' | 'name'>): Promise<NatsConnection> =>
  connect({ ...connectionOptions(options), waitOnFirstConnect: true });

export async function onServerEnd(connection: NatsConnection, move: () => void): Promise<void> {
  for await (const status of connection.status()) if (status.type === 'ldm') move();
}

export interface ServiceBus {
  readonly connected: boolean;
  /** How often the connection was lost: broadcasts may have been missed whenever this number grew. */
  readonly disconnects: number;
  request(kind: CallKind, target: { service: string; name: string }, input: unknown, caller: Caller): Promise<Outcome>;
  /** A typed client of another service's calls; its functions throw RemoteFailure with the refusal the owner answered. */
  client<S extends CallSet>(set: S): Client<S>;
  readonly live: LiveUpdates;
  /** @param to `home` for what the gateways of all cells hear */
  broadcast(subject: string, message: unknown, to?: 'cell' | 'home'): void;
  /** @param from `home` for broadcasts of the domain service to all cells */
  onBroadcast<T>(subject: string, hear: (message: T) => void, from?: 'cell' | 'home'): void;
}

type Question = Parameters<ServiceBus['request']>;

/** `repeats`: a call that no process takes is made again, default true. `changesNothing`: so is one whose reply was lost. */
export interface RepeatOptions {
  repeats?: boolean;
  changesNothing?: boolean;
}

export type CallKind = 'tools' | 'requests' | 'describe';

export function clientOf<S extends CallSet>(set: S, ask: ServiceBus['request']): Client<S> {
  return Object.fromEntries(
    Object.keys(set.calls).map((name) => [
      name,
      async (input: unknown, caller: Caller) => {
        const outcome = await ask(set.kind, { service: set.service, name }, input, {
          ...caller,
          source: 'service',
          // It is about the record of the caller's own call.
          ifMatch: undefined,
        });
        if (!outcome.ok) throw new RemoteFailure(outcome.error);
        return outcome.data;
      },
    ]),
  ) as Client<S>;
}

/** Typed request/reply between services, and broadcasts. */
export class Bus implements ServiceBus {
  #connected = true;
  #disconnects = 0;
  readonly #reconnectHearers: (() => void)[] = [];
  readonly namespace: string;
  readonly home: string;
  /** The namespaces of all cells that are served, the own one first. */
  readonly cells: readonly string[];
  readonly placement: Placement;
  readonly skews = new ClockSkews();
  readonly live = new LiveUpdates((update) => {
    // Updates are hints: without a connection they are not kept.
    if (this.connected) this.broadcast(liveUpdateBroadcast, update, 'home');
  });
  #detour: NatsConnection | null = null;
  #moving = false;
  readonly #overDetour = new Map<NatsConnection, number>();
  readonly #requesters = new WeakMap<NatsConnection, Requester>();
  readonly #options: BusOptions;

  constructor(
    readonly connection: NatsConnection,
    options: BusOptions,
  ) {
    const { namespace, home = namespace, cells = [] } = options;
    this.#options = options;
    this.namespace = namespace;
    this.home = home;
    this.cells = [namespace, ...cells];
    this.placement = new Placement(namespace, cells.length > 0 ? (id) => this.#askCell(id) : null);
    void this.#watch();
    void leaveBlockedSocket(connection);
    void onServerEnd(connection, () => void this.#takeDetour());
  }

  get connected(): boolean {
    return (this.#connected || this.#detour !== null) && !this.connection.isClosed();
  }

  get disconnects(): number {
    return this.#disconnects;
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect') {
        this.#connected = false;
        this.#disconnects += 1;
      }
      if (status.type === 'reconnect') {
        this.#connected = true;
        this.#leaveDetour();
        for (const hear of this.#reconnectHearers) hear();
      }
    }
  }

  /** Sends new calls over another server before this one closes its connections, which still answer running calls. */
  async #takeDetour(): Promise<void> {
    if (this.#moving) return;
    this.#moving = true;
    const before = this.#disconnects;
    const detour = await connectElsewhere(this.#options).catch(() => null);
    this.#moving = false;
    // The connection may have moved by itself meanwhile.
    if (this.connection.isClosed() || (this.#connected && this.#disconnects > before)) await detour?.close();
    else this.#detour = detour;
  }

  #leaveDetour(): void {
    const detour = this.#detour;
    this.#detour = null;
    if (detour) this.#closeIdle(detour);
  }

  #closeIdle(detour: NatsConnection): void {
    if (detour !== this.#detour && !this.#overDetour.has(detour)) void detour.close();
  }

  async #send(...question: Parameters<Requester['request']>): Promise<Msg | null> {
    const detour = this.#detour;
    if (!detour) return await this.#requesterOf(this.connection).request(...question);
    this.#overDetour.set(detour, (this.#overDetour.get(detour) ?? 0) + 1);
    try {
      return await this.#requesterOf(detour).request(...question);
    } finally {
      const left = this.#overDetour.get(detour)! - 1;
      if (left > 0) this.#overDetour.set(detour, left);
      else this.#overDetour.delete(detour);
      this.#closeIdle(detour);
    }
  }

  #requesterOf(connection: NatsConnection): Requester {
    const requester = this.#requesters.get(connection) ?? new Requester(connection);
    this.#requesters.set(connection, requester);
    return requester;
  }

  /** Registers a callback for each reconnect; broadcasts sent during the outage are lost. */
  onReconnect(hear: () => void): void {
    this.#reconnectHearers.push(hear);
  }

  /**
   * Calls one of the processes that serve `kind.service.name` in the cell of the caller's organization.
   * @returns its outcome; UNAVAILABLE without a responder, TIMEOUT when the caller's deadline passed or the connection
   * broke
   */
  async request(
    kind: CallKind,
    target: { service: string; name: string },
    input: unknown,
    caller: Caller,
    options: RepeatOptions = {},
  ): Promise<Outcome> {
    try {
      const cell = target.service === 'domain' ? this.home : await this.placement.find(caller.organizationId);
      return await this.#requestIn(cell, [kind, target, input, caller], options);
    } catch (error) {
      // Where the organization is cannot be learned.
      if (error instanceof RemoteFailure) return { ok: false, error: error.failure };
      throw error;
    }
  }

  async #requestIn(cell: string, question: Question, options: RepeatOptions = {}): Promise<Outcome> {
    const [, { service, name }] = question;
    const attributes = { 'rpc.system': 'nats', 'rpc.service': service, 'rpc.method': name };
    return await traced(`ask ${service} ${name}`, { kind: 'client', attributes }, async (span) => {
      const outcome = await this.#askOrRepeat(cell, question, options);
      span.set({ 'tidings.outcome': outcome.ok ? 'OK' : outcome.error.code });
      return outcome;
    });
  }

  async #askOrRepeat(
    cell: string,
    question: Question,
    { repeats = true, changesNothing = false }: RepeatOptions,
  ): Promise<Outcome> {
    const [, { service }, , caller] = question;
    const endsAt = Math.min(caller.deadline, Date.now() + (repeats ? (this.#options.repeatMs ?? 0) : 0));
    for (;;) {
      const outcome = this.connected ? await this.#ask(cell, question, changesNothing) : null;
      if (outcome === 'lost') continue;
      if (outcome !== null) return outcome;
      if (Date.now() + repeatPauseMs >= endsAt) return unavailable(service);
      await pause(repeatPauseMs);
    }
  }

  /**
   * @returns null if no process took the call, which has done nothing then; `lost` if it changes nothing and its reply was
   * lost with a connection, here or at the service
   */
  async #ask(
    cell: string,
    [kind, { service, name }, input, caller]: Question,
    changesNothing: boolean,
  ): Promise<Outcome | 'lost' | null> {
    const headers = newHeaders();
    headers.set('caller', writeCaller(caller));
    const trace = traceparent();
    if (trace !== undefined) headers.set('traceparent', trace);
    try {
      const sentMs = Date.now();
      const reply = await this.#send(`${cell}.${kind}.${service}.${name}`, JSON.stringify(input), {
        timeoutMs: Math.max(1, caller.deadline - sentMs),
        headers,
        // A service repeats its work; a user's call that changes something is not repeated, and may last.
        givesUpSoon: kind === 'requests' || changesNothing,
      });
      if (reply === null) return null;
      const repliedMs = Number(reply.headers?.get(repliedAtHeader) || NaN);
      this.skews.note(service, { sentMs, repliedMs, receivedMs: Date.now() });
      return reply.json<Outcome>();
    } catch (error) {
      // A line that broke after the question was sent does not tell whether it was heard.
      if (error instanceof ReplyLost && changesNothing) return 'lost';
      if (!(error instanceof TimeoutError || error instanceof ReplyLost) && this.connected) throw error;
      const { code, reason, message } = new ToolError('DEADLINE_EXCEEDED', { tool: name });
      return { ok: false, error: { code, reason, message } };
    }
  }

  client<S extends CallSet>(set: S): Client<S> {
    return clientOf(set, (...question) => this.request(...question));
  }

  /** A client whose calls are not repeated if no process takes them, for callers that have another way then. */
  clientWithoutRepeat<S extends CallSet>(set: S): Client<S> {
    return clientOf(set, (...question) => this.request(...question, { repeats: false }));
  }

  /** A client of the services of one cell, for questions that name no organization. */
  clientIn<S extends CallSet>(cell: string, set: S): Client<S> {
    return clientOf(set, (...question) => this.#requestIn(cell, question));
  }

  async #askCell(organizationId: string): Promise<string | null> {
    const caller = serviceCaller(organizationId, 'placement', placementMs);
    try {
      return (await this.client(domainRequests).get_organization({}, caller)).organization.cell;
    } catch (error) {
      // The organization is unknown, so any cell answers NOT_FOUND.
      if (error instanceof RemoteFailure && error.failure.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /**
   * The present instant by the clocks of the services, for what they compare with their own instants: delivery's clock
   * where it replied within a minute, else the domain service's, else the one here.
   */
  serviceTime(): Date {
    return new Date(Date.now() + (this.skews.skewMs('delivery') || this.skews.skewMs('domain')));
  }

  /** Publishes to every process without a delivery guarantee: for caches, never for events. */
  broadcast(subject: string, message: unknown, to: 'cell' | 'home' = 'cell'): void {
    this.connection.publish(
      `${to === 'home' ? this.home : this.namespace}.broadcast.${subject}`,
      JSON.stringify(message),
    );
  }

  onBroadcast<T>(subject: string, hear: (message: T) => void, from: 'cell' | 'home' = 'cell'): void {
    this.connection.subscribe(`${from === 'home' ? this.home : this.namespace}.broadcast.${subject}`, {
      callback: (error: Error | null, message: Msg) => {
        if (!error) hear(message.json<T>());
      },
    });
  }

  async close(): Promise<void> {
    await this.live.flush();
    this.#leaveDetour();
    if (!this.connection.isClosed()) await this.connection.drain().catch(() => this.connection.close());
  }
}

function unavailable(service: string): Outcome<never> {
  return { ok: false, error: failureOf(new ToolError('SERVICE_UNAVAILABLE', { service })).error };
}

/**
 * A caller for work that a service does by itself (jobs, consumers).
 * @param organizationId on whose behalf; empty for none
 */
export function serviceCaller(organizationId: string, requestId: string, deadlineMs = callDeadlineMs): Caller {
  const at = Date.now();
  return {
    organizationId,
    tokenId: null,
    requestId,
    callId: null,
    deadline: at + deadlineMs,
    now: new Date(at),
    source: 'service',
    scopes: ['read', 'write', 'send'],
  };
}
