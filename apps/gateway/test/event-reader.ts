import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { until } from '#testing';
import type { Json } from './fake-services.js';

/** An event as a browser dispatches it. */
export interface ReceivedEvent {
  name: string;
  id: string;
  data: Json;
}

/** Reads a stream of server-sent events (WHATWG HTML, section 9.2.6). */
export class EventReader {
  readonly events: ReceivedEvent[] = [];
  /** All bytes as they came. */
  text = '';
  lastEventId = '';
  isEnded = false;
  #rest = '';

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#read(chunk));
    for (const end of ['end', 'close', 'error']) response.on(end, () => (this.isEnded = true));
  }

  /** Opens a stream; its status may be a refusal. */
  static async open(url: string, headers: Record<string, string>, path = '/api/events'): Promise<EventReader> {
    return await new Promise((resolve, reject) => {
      const sending = request(url + path, { agent: false, headers }, (response) => resolve(new EventReader(response)));
      sending.once('error', reject);
      sending.end();
    });
  }

  static withToken(url: string, token: string, path?: string, lastEventId?: string): Promise<EventReader> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    return EventReader.open(url, headers, path);
  }

  get status(): number {
    return this.response.statusCode!;
  }

  close(): void {
    this.response.destroy();
  }

  /** Awaits an event of a name whose data fulfil a condition. */
  async next(name: string, fulfils: (data: Json) => boolean = () => true, withinMs = 10_000): Promise<ReceivedEvent> {
    const find = () => this.events.find((event) => event.name === name && fulfils(event.data));
    await until(`the event ${name}`, () => find() !== undefined, withinMs, 5);
    return find()!;
  }

  #read(chunk: string): void {
    this.text += chunk;
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) this.#dispatch(block.split('\n'));
  }

  #dispatch(lines: string[]): void {
    let name = 'message';
    let data = '';
    for (const line of lines) {
      const [, field, value] = /^(\w*): ?(.*)$/.exec(line)!;
      if (field === 'id') this.lastEventId = value!;
      if (field === 'event') name = value!;
      if (field === 'data') data += value!;
    }
    if (data !== '') this.events.push({ name, id: this.lastEventId, data: JSON.parse(data) as Json });
  }
}
