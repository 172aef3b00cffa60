import type { ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { Bus } from '#bus';
import { catalogue, isWithinToolsets } from '#contracts';
import type { LiveNoun } from '#contracts';
import { observedGauges } from '#observability';
import type { Logger } from '#observability';
import { ToolError } from '#tool-call';
import type { Authenticator } from '../auth/authenticator.js';
import { concerns } from '../auth/live-credential.js';
import type { LiveCredential } from '../auth/live-credential.js';
import { LiveReader } from './live-reader.worker.js';
import type { LiveEvent, Replay } from './live-tail.js';

const commentIntervalMs = 15_000;
const streamMs = 1_800_000;
/** Bytes that a client may be behind. */
const behindMax = 256 * 1024;

/** Events that a client is sent after a break; one that missed more reads everything again. */
export const replayMax = 200;

export const liveStreamLimits = { perMember: 5, perOrganization: 200, perGateway: 2_000 };

export interface LiveSelection {
  organizations: readonly string[];
  /** Null: all. */
  nouns: ReadonlySet<LiveNoun> | null;
}

interface OpenStream {
  credential: LiveCredential;
  selection: LiveSelection;
  response: ServerResponse;
  endsAt: number;
}

interface Dependencies {
  bus: Bus;
  authenticator: Authenticator;
  replicas: number;
  log: Logger;
  registry: Registry;
}

/** Streams updates to clients as server-sent events (WHATWG HTML, section 9.2). */
export class LiveStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #byOrganization = new Map<string, Set<OpenStream>>();
  readonly #members = new Map<string, number>();
  readonly #reader: LiveReader;
  readonly #timer: NodeJS.Timeout;
  readonly #ended: Counter<'cause'>;

  constructor(private readonly dependencies: Dependencies) {
    const { bus, authenticator, registry } = dependencies;
    this.#reader = new LiveReader({
      ...dependencies,
      deliver: (event) => this.#deliver(event),
      lost: () => this.#lost(),
    });
    this.#reader.start();
    this.#timer = setInterval(() => this.#tick(), commentIntervalMs).unref();
    authenticator.onChange((change) => {
      for (const stream of this.#streams) {
        if (!concerns(change, stream.credential)) continue;
        if (change.isEnd) this.#endSession(stream);
        else void this.#check(stream);
      }
    });
    // Changes may have been broadcast meanwhile.
    bus.onReconnect(() => {
      for (const stream of this.#streams) void this.#check(stream);
    });
    this.#ended = observeLiveStreams(registry, () => this.#streams.size);
  }

  /** Ends all streams; their clients connect to another gateway. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const stream of this.#streams) this.#end(stream, 'stop');
    await this.#reader.stop();
  }

  /**
   * Streams updates to a client until one of both ends it.
   * @param lastEventId the position of the client's last event; null without one
   * @param open sends the status and header fields, and returns the response to write to
   * @throws ToolError STREAMS_TOO_MANY
   */
  async open(
    credential: LiveCredential,
    selection: LiveSelection,
    lastEventId: string | null,
    open: () => ServerResponse,
  ): Promise<void> {
    this.#assertRoom(credential, selection);
    const isReady = await this.#reader.ready();
    const replay: Replay =
      isReady && lastEventId !== null ? await this.#reader.replay(lastEventId) : missed(lastEventId);
    // Others may have come meanwhile.
    this.#assertRoom(credential, selection);
    const response = open();
    const stream: OpenStream = { credential, selection, response, endsAt: Date.now() + streamMs };
    this.#add(stream);
    response.on('close', () => this.#remove(stream));
    response.on('error', () => this.#remove(stream));
    const missing = replay.reset ? [] : replay.events.filter((event) => wants(stream, event));
    const isReset = replay.reset || missing.length > replayMax;
    const events = isReset ? [resetText] : missing.map(({ text }) => text);
    response.write(`retry: 3000\n${this.#idText}\n${events.join('')}`);
    // The credential may have ended since it was looked up.
    await this.#check(stream);
  }

  #assertRoom({ memberId }: LiveCredential, { organizations }: LiveSelection): void {
    const { perMember, perOrganization, perGateway } = liveStreamLimits;
    const refuse = (limit: number, whose: string): never => {
      throw new ToolError('STREAMS_TOO_MANY', { limit, whose });
    };
    if ((this.#members.get(memberId) ?? 0) >= perMember) refuse(perMember, 'this user or token');
    if (organizations.some((id) => (this.#byOrganization.get(id)?.size ?? 0) >= perOrganization))
      refuse(perOrganization, 'the organization');
    if (this.#streams.size >= perGateway) refuse(perGateway, 'this gateway');
  }

  #add(stream: OpenStream): void {
    const { memberId } = stream.credential;
    const { organizations } = stream.selection;
    this.#streams.add(stream);
    this.#members.set(memberId, (this.#members.get(memberId) ?? 0) + 1);
    for (const id of organizations) {
      const streams = this.#byOrganization.get(id) ?? new Set();
      this.#byOrganization.set(id, streams.add(stream));
    }
  }

  #remove(stream: OpenStream): void {
    if (!this.#streams.delete(stream)) return;
    const { memberId } = stream.credential;
    const { organizations } = stream.selection;
    const left = this.#members.get(memberId)! - 1;
    if (left > 0) this.#members.set(memberId, left);
    else this.#members.delete(memberId);
    for (const id of organizations) {
      const streams = this.#byOrganization.get(id)!;
      streams.delete(stream);
      if (streams.size === 0) this.#byOrganization.delete(id);
    }
  }

  get #idText(): string {
    const { position } = this.#reader;
    return position === null ? '' : `id: ${position}\n`;
  }

  #deliver(event: LiveEvent): void {
    const streams = this.#byOrganization.get(event.organization);
    if (!streams) return;
    const bytes = Buffer.from(`${this.#idText}${event.text}`);
    for (const stream of streams) if (wants(stream, event)) this.#write(stream, bytes);
  }

  #lost(): void {
    const bytes = Buffer.from(`${this.#idText}${resetText}`);
    for (const stream of this.#streams) this.#write(stream, bytes);
  }

  /** A reader that is too far behind is cut off, and continues where it was. */
  #write(stream: OpenStream, bytes: Buffer): void {
    const { response } = stream;
    response.write(bytes);
    if (response.writableLength <= behindMax) return;
    this.#ended.inc({ cause: 'behind' });
    this.#remove(stream);
    response.destroy();
  }

  /** The id in each comment keeps the position of a client that gets no events from growing too old. */
  #tick(): void {
    this.#reader.prune();
    const bytes = Buffer.from(`: waiting\n${this.#idText}\n`);
    const now = Date.now();
    for (const stream of this.#streams) {
      const { expiresAt } = stream.credential;
      if (stream.endsAt <= now) this.#end(stream, 'age');
      else this.#write(stream, bytes);
      if (expiresAt !== null && expiresAt <= now) void this.#check(stream);
    }
  }

  /** Ends the stream of a credential that has ended, or may read other organizations now. */
  async #check(stream: OpenStream): Promise<void> {
    const { credential } = stream;
    let current: LiveCredential | null;
    try {
      current = await credential.find();
    } catch (error) {
      // What cannot be looked up is not read on; the client connects again, and is answered 503 meanwhile.
      this.dependencies.log.debug({ err: error }, 'a stream of live updates cannot be checked');
      return this.#end(stream, 'unchecked');
    }
    // A session whose secret was replaced goes on: its client connects again, with the new cookie.
    if (!current) return credential.sessionId === null ? this.#endSession(stream) : this.#end(stream, 'credential');
    if (rightsOf(current) !== rightsOf(credential)) return this.#end(stream, 'rights');
    credential.expiresAt = current.expiresAt;
  }

  #endSession(stream: OpenStream): void {
    const { callerId: id, sessionId } = stream.credential;
    const data = { noun: 'session', id: sessionId ?? id, at: new Date().toISOString(), numbers: {} };
    stream.response.write(`event: session.ended\ndata: ${JSON.stringify(data)}\n\n`);
    this.#end(stream, 'credential');
  }

  #end(stream: OpenStream, cause: 'stop' | 'age' | 'credential' | 'rights' | 'unchecked'): void {
    if (!this.#streams.has(stream)) return;
    this.#ended.inc({ cause });
    this.#remove(stream);
    stream.response.end();
  }
}

/** What a client gets that cannot be replayed anything: nothing, unless it had events before. */
const missed = (lastEventId: string | null): Replay =>
  lastEventId === null ? { reset: false, events: [] } : { reset: true };

export function observeLiveStreams(registry: Registry, open: () => number): Counter<'cause'> {
  const gauges = { tidings_live_streams: 'Open streams of live updates' };
  observedGauges(registry, gauges, () => Promise.resolve({ tidings_live_streams: open() }));
  return new Counter({
    name: 'tidings_live_streams_ended_total',
    help: 'Ended streams of live updates by cause',
    labelNames: ['cause'],
    registers: [registry],
  });
}

const resetText = 'event: reset\ndata: {}\n\n';

const rightsOf = ({ organizations, toolsets }: LiveCredential): string =>
  JSON.stringify([organizations.map(({ id }) => id), toolsets]);

/** The tool that reads a noun: who may not call it gets no updates of it either. */
const readerOf: Readonly<Record<LiveNoun, string>> = {
  campaign: 'get_campaign',
  import: 'get_subscriber_import',
  export: 'get_subscriber_export',
  approval: 'get_approval',
  workflow: 'get_workflow',
  domain: 'list_domains',
  organization: 'get_organization',
  member: 'list_members',
};

const wants = (
  { credential, selection: { organizations, nouns } }: OpenStream,
  { organization, noun }: LiveEvent,
): boolean =>
  organizations.includes(organization) &&
  (nouns?.has(noun) ?? true) &&
  isWithinToolsets(credential.toolsets, catalogue.get(readerOf[noun])!.contract);
