/** None may hold an address or a secret. */
export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanFacts {
  kind: 'server' | 'client' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /**
   * What it belongs to: by default to the span that it runs in, and without one it is not traced. `root` begins a trace; a
   * traceparent (W3C Trace Context) goes on with what another process began.
   */
  parent?: string | undefined;
  /** Other traces that led to it, by their traceparents. */
  links?: readonly string[];
}

export interface OpenSpan {
  set(attributes: SpanAttributes): void;
}

export interface Tracer {
  run<T>(name: string, facts: SpanFacts, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** The traceparent of the span that this runs in; undefined outside of any that is recorded. */
  current(): string | undefined;
  stop(): Promise<void>;
}
