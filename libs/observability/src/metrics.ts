import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The measurements every process takes; services add their own to `registry`. */
export interface Metrics {
  registry: Registry;
  /** Calls by name and outcome (`OK` or the class of the refusal). */
  calls: Counter<'call' | 'outcome'>;
  callSeconds: Histogram<'call'>;
}

/** Metrics of one service; each has its own registry, so that several may live in one process. */
export function createMetrics(service: string, options: { processMetrics: boolean }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  return {
    registry,
    calls: new Counter({
      name: 'tidings_calls_total',
      help: 'Tool and request calls by outcome',
      labelNames: ['call', 'outcome'],
      registers: [registry],
    }),
    callSeconds: new Histogram({
      name: 'tidings_call_seconds',
      help: 'Time a call takes in this process',
      labelNames: ['call'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 25],
      registers: [registry],
    }),
  };
}

/** A gauge that is read when somebody asks for the metrics; a reading that fails leaves the last value. */
export function observedGauge(registry: Registry, name: string, help: string, read: () => Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      await read().then(
        (value) => this.set(value),
        () => undefined,
      );
    },
  });
}
