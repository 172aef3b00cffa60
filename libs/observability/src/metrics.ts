import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  /** Calls by name and outcome (`OK` or the class of the refusal). */
  calls: Counter<'call' | 'outcome'>;
  callSeconds: Histogram<'call'>;
  /** Refusals by reason, for what the class does not tell. */
  refusals: Counter<'reason'>;
}

/** What the process itself costs is served by the first registry that is asked, since there is one process. */
let processIsMeasured = false;
/** How often the event loop's lag is looked at; it shows as the least lag, and each look wakes the process. */
const lagEveryMs = 20;

/** Measures the process from the first question on: its timer would be a good part of what an idle system costs. */
class ProcessRegistry extends Registry {
  override async metrics(): Promise<string> {
    if (!processIsMeasured) {
      processIsMeasured = true;
      collectDefaultMetrics({ register: this, eventLoopMonitoringPrecision: lagEveryMs });
    }
    return await super.metrics();
  }
}

/**
 * Metrics of one service; each has its own registry, so that several may live in one process.
 * @param options `processMetrics`: also processor, memory and how late the event loop is
 */
export function createMetrics(service: string, options: { processMetrics: boolean }): Metrics {
  const registry = options.processMetrics ? new ProcessRegistry() : new Registry();
  registry.setDefaultLabels({ service });
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
      help: 'Duration of a call in this process',
      labelNames: ['call'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 25],
      registers: [registry],
    }),
    refusals: new Counter({
      name: 'tidings_refusals_total',
      help: 'Refused calls by reason',
      labelNames: ['reason'],
      registers: [registry],
    }),
  };
}

/** A gauge's reading: a number, or one for each value of its label; undefined when it cannot be read. */
export type Reading = number | undefined | ReadonlyMap<string, number>;

export type GaugeMeanings<N extends string> = Record<N, string | { help: string; label: string }>;

/** Several processes may ask, and a person who reloads a page: a reading serves all of them for so long. */
const freshMs = 5_000;
/** Prometheus gives a scrape 10 s; what does not answer must not take the other measurements with it. */
const patienceMs = 3_000;

/**
 * Gauges that are read together, and only when the metrics are scraped. A gauge that cannot be read is not served: an
 * old number would hide the failure.
 * @param read returns all of them; at most one reading runs at a time
 */
export function observedGauges<N extends string>(
  registry: Registry,
  gauges: GaugeMeanings<N>,
  read: () => Promise<Partial<Record<N, Reading>>>,
): void {
  const look = sharedReading(read);
  for (const [name, meaning] of Object.entries(gauges) as [N, GaugeMeanings<N>[N]][]) {
    const { help, label } = typeof meaning === 'string' ? { help: meaning, label: null } : meaning;
    new Gauge({
      name,
      help,
      labelNames: label === null ? [] : [label],
      registers: [registry],
      async collect() {
        const reading: Reading = (await look())[name];
        this.reset();
        if (typeof reading === 'number') this.set(reading);
        else if (label === null) this.remove();
        for (const [key, value] of typeof reading === 'object' ? reading : []) this.set({ [label!]: key }, value);
      },
    });
  }
}

function sharedReading<R extends object>(read: () => Promise<Partial<R>>): () => Promise<Partial<R>> {
  let latest: { reading: Promise<Partial<R>>; until: number } | null = null;
  return async () => {
    if (!latest || performance.now() > latest.until) {
      const mine = { reading: read(), until: Number.POSITIVE_INFINITY };
      latest = mine;
      mine.reading.then(
        () => (mine.until = performance.now() + freshMs),
        () => (mine.until = 0),
      );
    }
    const nothing: Partial<R> = {};
    return await Promise.race([latest.reading.catch(() => nothing), sleep(patienceMs, nothing, { ref: false })]);
  };
}
