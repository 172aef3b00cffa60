import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DeliverabilityEvent } from '../message/message-events.js';
import { isFinalRefusal } from '../message/attempt-report.js';
import type { AttemptReport } from '../message/attempt-report.js';
import type { SendQueue } from '../message/send-queue.js';
import { mailboxProvider } from './mailbox-provider.js';

/** Labels hold no address, and only names of relays and of large mailbox providers. */
export class SendMetrics {
  readonly #messages: Counter<'relay' | 'provider' | 'result'>;
  readonly #refusals: Counter<'relay' | 'code'>;
  readonly #seconds: Histogram<'relay'>;
  readonly #guarded: Counter<'queue'>;
  readonly #inDoubt: Counter;
  readonly #bounces: Counter<'provider' | 'type'>;
  readonly #complaints: Counter<'provider'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const of = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Counter({ name: `tidings_${name}`, help, labelNames, registers });
    this.#messages = of('messages_total', 'Delivery attempts by result', ...messageLabels);
    this.#refusals = of('relay_refusals_total', 'Refusals by the relay, by SMTP code', 'relay', 'code');
    this.#guarded = of('guard_refusals_total', 'Messages deferred by the recipient guard', 'queue');
    this.#inDoubt = of('messages_in_doubt_total', 'Delivery attempts with unknown outcome');
    this.#bounces = of('bounces_total', 'Permanent refusals and bounces', 'provider', 'type');
    this.#complaints = of('complaints_total', 'Complaints', 'provider');
    this.#seconds = new Histogram({
      name: 'tidings_delivery_attempt_seconds',
      help: 'Duration of a delivery attempt',
      labelNames: ['relay'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
      registers,
    });
  }

  attempted(relay: string, to: string, { report, seconds }: { report: AttemptReport; seconds: number }): void {
    const result = resultOf(report);
    this.#messages.inc({ relay, provider: mailboxProvider(to.slice(to.lastIndexOf('@') + 1)), result });
    this.#seconds.observe({ relay }, seconds);
    if (result === 'in_doubt') this.#inDoubt.inc();
    if (report.kind === 'replied' && result !== 'accepted') this.#refusals.inc({ relay, code: report.code });
  }

  guarded(lane: SendQueue, messages: number): void {
    if (messages > 0) this.#guarded.inc({ queue: lane }, messages);
  }

  doubted(messages: number): void {
    this.#inDoubt.inc(messages);
  }

  /** Counts bounces and complaints; an event that is applied again after an error is counted again. */
  reported(events: readonly DeliverabilityEvent[]): void {
    for (const { name, data } of events) {
      if (name === 'messages.settled' || data.simulated) continue;
      const provider = mailboxProvider(data.email.slice(data.email.lastIndexOf('@') + 1));
      if (name === 'message.bounced') this.#bounces.inc({ provider, type: data.bounceType.toLowerCase() });
      if (name === 'message.complained') this.#complaints.inc({ provider });
    }
  }
}

const messageLabels = ['relay', 'provider', 'result'] as const;

/**
 * `refused` permanently, `deferred` until later, `lost`: the connection broke before the relay could have the message.
 */
function resultOf(report: AttemptReport): 'accepted' | 'refused' | 'deferred' | 'lost' | 'in_doubt' {
  if (report.kind === 'lost') return report.dotWritten ? 'in_doubt' : 'lost';
  if (report.kind !== 'replied') return 'lost';
  if (report.code < 300) return 'accepted';
  return isFinalRefusal(report) ? 'refused' : 'deferred';
}

const meters = new WeakMap<Registry, SendMetrics>();

export function meterOf(registry: Registry): SendMetrics {
  const meter = meters.get(registry) ?? new SendMetrics(registry);
  meters.set(registry, meter);
  return meter;
}
