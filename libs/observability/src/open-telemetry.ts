import { AsyncLocalStorage } from 'node:async_hooks';
import { isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { traceSql } from './trace-sql.js';
import type { Tracer } from './span.js';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;
const linksMax = 32;
/** A collector that does not answer must not hold up the end of a process. */
const flushMs = 3_000;

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function remote(traceparent: string): SpanContext | null {
  const [, traceId, spanId, flags] = form.exec(traceparent) ?? [];
  if (!traceId || !spanId) return null;
  const traceFlags = Number.parseInt(flags!, 16) & TraceFlags.SAMPLED;
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : null;
}

/** Traces for a collector that accepts OTLP over HTTP; OpenTelemetry's variables set its address and the sampling. */
export function openTelemetry(service: string): Tracer {
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `tidings-${service}`, 'service.namespace': 'tidings' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const spans = provider.getTracer('tidings');
  const around = new AsyncLocalStorage<Context>();
  const contextOf = (parent: string): Context => {
    const context = remote(parent);
    return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
  };
  const tracer: Tracer = {
    run: (name, { kind, attributes, parent, links = [] }, work) => {
      const outer = parent === undefined ? around.getStore() : contextOf(parent);
      const silent = { set: () => undefined };
      if (!outer) return work(silent);
      const linked = links.slice(0, linksMax).flatMap((one) => remote(one) ?? []);
      const options = {
        kind: kinds[kind],
        links: linked.map((context) => ({ context })),
        ...(attributes && { attributes }),
      };
      const span = spans.startSpan(name, options, outer);
      return around.run(trace.setSpan(outer, span), async () => {
        try {
          return await work({ set: (more) => void span.setAttributes(more) });
        } catch (error) {
          // Its message may contain private data.
          span.setAttribute('error.type', (error as Error).name);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    current: () => {
      const context = around.getStore();
      const span = context && trace.getSpanContext(context);
      const isRecorded = span && (span.traceFlags & TraceFlags.SAMPLED) !== 0;
      return isRecorded ? `00-${span.traceId}-${span.spanId}-01` : undefined;
    },
    stop: async () => {
      untraceSql();
      const late = new Promise<void>((resolve) => setTimeout(resolve, flushMs).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
  const untraceSql = traceSql(tracer);
  return tracer;
}
