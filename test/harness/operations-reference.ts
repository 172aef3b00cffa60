import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import { createLogger, createMetrics, observeReadiness } from '#observability';
import {
  observeCache,
  observeClockSkews,
  observeDatabase,
  observeEvents,
  observePublisher,
  observeReading,
} from '#service-host';
import { LocalBus } from '#testing';
import { commands, helpOf, overview } from '../../apps/cli/src/operator.js';
import { observeHits, observeRelay } from '../../apps/delivery/src/metrics/backlog.service.js';
import { meterOf } from '../../apps/delivery/src/metrics/send-metrics.service.js';
import { makeAuditLog } from '../../apps/gateway/src/audit/audit-log.service.js';
import { observeLiveStreams } from '../../apps/gateway/src/live/live-streams.service.js';
import { makeLinkEffects } from '../../apps/gateway/src/link/link-effects.service.js';
import { observeChoices } from '../../apps/gateway/src/link/unsubscription.service.js';
import { observeLoops } from '../../apps/workflow/src/metrics/backlog.service.js';
import { codes, referencePage, table } from './reference-text.js';
import { environmentFor, partsOf, plans } from './service-plans.js';

interface MetricRow {
  name: string;
  type: string;
  labels: string[];
  help: string;
}

/** Gauges are registered here and never read, so that nothing needs to be connected. */
const unread = {} as never;
const connection = { options: {} };

const typeOf = (metric: unknown): string => {
  if (metric instanceof Counter) return 'counter';
  if (metric instanceof Gauge) return 'gauge';
  return metric instanceof Histogram ? 'histogram' : 'summary';
};

const rowsOf = (registry: Registry): MetricRow[] =>
  (registry.getMetricsAsArray() as unknown as { name: string; help: string; labelNames: string[] }[]).map((metric) => ({
    name: metric.name,
    type: typeOf(metric),
    labels: metric.labelNames.filter((label) => label !== 'service'),
    help: metric.help,
  }));

/** The metrics of each service, and of every process. */
export function metricsByOwner(): Map<string, MetricRow[]> {
  const common = createMetrics('common', { processMetrics: false }).registry;
  observeReadiness(common, {});
  observeClockSkews(common, unread);
  const shared = createMetrics('shared', { processMetrics: false }).registry;
  shared.clear();
  const owners = new Map<string, Registry>([
    ['Every process', common],
    ['Services with a database', shared],
  ]);
  const bus = new LocalBus();
  const gateway = createMetrics('gateway', { processMetrics: false });
  gateway.registry.clear();
  const log = createLogger('gateway', 'silent');
  observeChoices(gateway.registry, unread);
  makeAuditLog(bus as never, log, gateway);
  observeLiveStreams(gateway.registry, () => 0);
  makeLinkEffects({ bus: bus as never, replicas: 1, hitsBytesMax: 1, log, registry: gateway.registry });
  owners.set('gateway', gateway.registry);
  for (const makePlan of plans) {
    const plan = makePlan(environmentFor('postgres://localhost/none'));
    const parts = { ...partsOf(plan, bus), bus: { connection, namespace: plan.config.NATS_NAMESPACE } as never };
    const { registry } = parts.metrics;
    registry.clear();
    plan.observe?.(parts);
    if (plan.service === 'delivery') {
      meterOf(registry);
      observeCache(registry, 'render plans', unread);
      observeRelay(registry, unread);
      observeHits(registry, unread);
    }
    if (plan.service === 'workflow') {
      observeLoops(registry, unread);
      observeCache(registry, 'workflow versions', unread);
    }
    if (!owners.get('Services with a database')!.getSingleMetric('tidings_outbox_pending')) {
      observeDatabase(shared, { driver: { master: {} } } as never);
      observeEvents(plan, { ...parts, metrics: { ...parts.metrics, registry: shared } });
      observePublisher(shared, unread);
      observeReading(shared, unread);
    }
    owners.set(plan.service, registry);
  }
  return new Map([...owners].map(([owner, registry]) => [owner, rowsOf(registry)]));
}

/** The services that handle an event, by its name. */
export function consumersByEvent(): Map<string, string[]> {
  const consumers = new Map<string, string[]>();
  const bus = new LocalBus();
  for (const makePlan of plans) {
    const plan = makePlan(environmentFor('postgres://localhost/none'));
    for (const name of Object.keys(plan.eventHandlers?.(partsOf(plan, bus)) ?? {}))
      consumers.set(name, [...(consumers.get(name) ?? []), plan.service]);
  }
  return consumers;
}

/** Every metric with its labels and meaning. */
export function metricsPage(): string {
  const sections = [...metricsByOwner()].map(([owner, rows]) => {
    const cells = rows.map(({ name, type, labels, help }) => [`\`${name}\``, type, codes(labels), help]);
    return `## ${owner}\n\n${table(['metric', 'type', 'labels', 'meaning'], cells)}`;
  });
  return referencePage({
    title: 'Metrics',
    intro: 'For operators who run Prometheus: after reading it you know every metric, its labels and its meaning.',
    from: 'the code',
    sections: [
      'Each process serves its metrics at `/metrics` of its health port. Every metric has the label `service`. A process also serves the metrics of the Node.js process (`process_…`, `nodejs_…`). A gauge that cannot be read is left out. [Monitoring](../guides/monitoring.md) explains the alerts.',
      ...sections,
    ],
    next: { title: 'command line', path: 'cli.md' },
  });
}

/** Every command with its options, as `--help` prints it. */
export function cliPage(): string {
  const sections = commands.map(
    (command) => `## ${command.words.join(' ')}\n\n\`\`\`text\n${helpOf(command).join('\n')}\n\`\`\``,
  );
  return referencePage({
    title: 'Command line',
    intro: 'For operators: after reading it you know every command of `npm run tidings`.',
    from: 'the commands',
    sections: [
      'In containers the commands run in the gateway’s. [Administer an installation](../guides/administration.md) explains who the command acts as.',
      `\`\`\`text\n${overview(undefined).join('\n')}\n\`\`\``,
      ...sections,
    ],
    next: { title: 'architecture', path: '../internals/architecture.md' },
  });
}
