import { tracesAreWanted } from './config.js';
import type { OpenSpan, SpanFacts, Tracer } from './span.js';

const silent: OpenSpan = { set: () => undefined };
let tracer: Tracer | null = null;

/** Does work inside a span; without tracing just does it. A failure marks the span by its class, and goes on. */
export function traced<T>(name: string, facts: SpanFacts, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  return tracer === null ? work(silent) : tracer.run(name, facts, work);
}

/** What carries the trace to others, in a header or a row: the traceparent; undefined when nothing is traced here. */
export const traceparent = (): string | undefined => tracer?.current();

/** Loads the tracer if traces are exported: it costs memory and time to start. */
export async function startTracing(service: string): Promise<void> {
  if (tracer !== null || !tracesAreWanted()) return;
  tracer = (await import('./open-telemetry.js')).openTelemetry(service);
}

export async function stopTracing(): Promise<void> {
  const stopping = tracer;
  tracer = null;
  await stopping?.stop();
}
