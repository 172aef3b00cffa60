import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it came over OTLP. */
export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
}

type Value = Record<string, unknown>;
interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: { key: string; value: Value }[] })[] }[];
  }[];
}

const read = (attributes: { key: string; value: Value }[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Takes traces as a collector does: OTLP over HTTP, in JSON. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Everything as it came, to be searched for what must not be in it. */
  raw = '';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url === '/v1/traces') this.#take(Buffer.concat(chunks).toString());
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The spans of a trace whose root a call made, by the id that the call was given. */
  ofRequest(requestId: string): CollectedSpan[] {
    const root = this.spans.find(({ attributes }) => attributes['tidings.request_id'] === requestId);
    return root ? this.spans.filter(({ traceId }) => traceId === root.traceId) : [];
  }

  #take(body: string): void {
    this.raw += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
      const service = String(read(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, service, attributes: read(span.attributes) });
    }
  }
}
