import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { HealthEvent } from '../report/health/deliverability.js';
import { isFinalRefusal } from '../message/attempt-report.js';
import type { HandOverReport } from '../message/attempt-report.js';
import type { Lane } from '../send/send-queue.js';
import { largeReceiverOf } from './mailbox-provider.js';

/** What is counted of mail: a few additions a message, no address, and of names only the relays' and large receivers'. */
export class SendingMeter {
  readonly #messages: Counter<'relay' | 'receiver' | 'result'>;
  readonly #refusals: Counter<'relay' | 'code'>;
  readonly #seconds: Histogram<'relay'>;
  readonly #guarded: Counter<'lane'>;
  readonly #inDoubt: Counter;
  readonly #bounces: Counter<'receiver' | 'type'>;
  readonly #complaints: Counter<'receiver'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const of = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Counter({ name: `tidings_${name}`, help, labelNames, registers });
    this.#messages = of('messages_total', 'Messages shown to a relay, by what became of them', ...messageLabels);
    this.#refusals = of('relay_refusals_total', "Relays' replies that took no message, by SMTP code", 'relay', 'code');
    this.#guarded = of('guard_refusals_total', 'Messages that the recipient guard put off', 'lane');
    this.#inDoubt = of('messages_in_doubt_total', 'Messages of which nobody knows whether the relay has them');
    this.#bounces = of('bounces_total', 'Messages that were refused for good or came back', 'receiver', 'type');
    this.#complaints = of('complaints_total', 'Messages that were called spam', 'receiver');
    this.#seconds = new Histogram({
      name: 'tidings_hand_over_seconds',
      help: 'Time a relay takes for one message',
      labelNames: ['relay'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
      registers,
    });
  }

  /** Counts a message that was shown to a relay. */
  handedOver(relay: string, to: string, { report, seconds }: { report: HandOverReport; seconds: number }): void {
    const result = resultOf(report);
    this.#messages.inc({ relay, receiver: largeReceiverOf(to.slice(to.lastIndexOf('@') + 1)), result });
    this.#seconds.observe({ relay }, seconds);
    if (result === 'in_doubt') this.#inDoubt.inc();
    if (report.kind === 'replied' && result !== 'accepted') this.#refusals.inc({ relay, code: report.code });
  }

  /** Counts messages that the recipient guard put off when they were to be handed over. */
  guarded(lane: Lane, messages: number): void {
    if (messages > 0) this.#guarded.inc({ lane }, messages);
  }

  /** Counts messages that a process which went away was handing over. */
  doubted(messages: number): void {
    this.#inDoubt.inc(messages);
  }

  /** Counts bounces and complaints; what is applied again after trouble is counted again. */
  told(events: readonly HealthEvent[]): void {
    for (const { name, data } of events) {
      if (data.simulated) continue;
      const receiver = largeReceiverOf(data.email.slice(data.email.lastIndexOf('@') + 1));
      if (name === 'message.bounced') this.#bounces.inc({ receiver, type: data.bounceType.toLowerCase() });
      if (name === 'message.complained') this.#complaints.inc({ receiver });
    }
  }
}

const messageLabels = ['relay', 'receiver', 'result'] as const;

/** `refused` for good, `deferred` until later, `lost`: the connection broke before the relay could have the message. */
function resultOf(report: HandOverReport): 'accepted' | 'refused' | 'deferred' | 'lost' | 'in_doubt' {
  if (report.kind === 'lost') return report.dotWritten ? 'in_doubt' : 'lost';
  if (report.kind !== 'replied') return 'lost';
  if (report.code < 300) return 'accepted';
  return isFinalRefusal(report) ? 'refused' : 'deferred';
}

const meters = new WeakMap<Registry, SendingMeter>();

/** The meter of a registry: names are registered once. */
export function meterOf(registry: Registry): SendingMeter {
  const meter = meters.get(registry) ?? new SendingMeter(registry);
  meters.set(registry, meter);
  return meter;
}
