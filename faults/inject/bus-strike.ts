import { EventPulse } from '../check/event-pulse.js';
import type { InvariantCheck } from '../check/invariants.js';
import type { SessionEvent } from '../sink/session-journal.js';
import { busTargets, prepareBusFault } from './bus-fault.js';
import type { BusFault, BusFaultOptions, BusTarget, StruckSystem } from './bus-fault.js';

/** How long consumption may stand still from when on it could go on. */
const standstillMaxSeconds = 5;
/** Targets during which the mail must not stand still for longer either. */
const mailGoesOn: readonly BusTarget[] = ['domain-away', 'month-rollover'];

export const isBusTarget = (target: string): target is BusTarget => (busTargets as readonly string[]).includes(target);

/** A fault of the bus in a campaign, and the pulse of events that shows how long the consumption stood still. */
export class BusStrike {
  /** Milliseconds since the epoch. */
  #canWorkFrom = 0;
  #breaches: readonly string[] = [];

  private constructor(
    private readonly target: BusTarget,
    private readonly fault: BusFault,
    private readonly pulse: EventPulse,
  ) {}

  /** Prepares the system, and returns when all lanes of all consumers go on. */
  static async prepare(target: BusTarget, rig: StruckSystem, options: BusFaultOptions): Promise<BusStrike> {
    const fault = await prepareBusFault(target, rig, options);
    const pulse = new EventPulse(rig.system, rig.bus);
    await pulse.awaitStart();
    return new BusStrike(target, fault, pulse);
  }

  /** What happens at the first message of the campaign. */
  async begin(): Promise<void> {
    await this.fault.begin?.();
  }

  async inject(): Promise<void> {
    const { canWorkFrom, breaches = [] } = await this.fault.inject();
    this.#canWorkFrom = canWorkFrom;
    this.#breaches = breaches;
  }

  /**
   * Makes the system what it was before, and adds what was wrong.
   * @param events of the sink since the beginning of the run
   * @returns the longest standstill of a consumer, or of the mail where that must go on, in seconds
   */
  async end({ breaches }: InvariantCheck, events: readonly SessionEvent[]): Promise<number> {
    const result = await this.pulse.stop(this.#canWorkFrom);
    const { lane, standstillSeconds, written, lost, doubled, isApplied, deadLetters } = result;
    await this.fault.end?.();
    const mail = mailGoesOn.includes(this.target) ? longestPause(events) : 0;
    breaches.push(...this.#breaches);
    if (lost + doubled > 0) breaches.push(`of ${written} events ${lost} were lost and ${doubled} counted twice`);
    if (!isApplied) breaches.push('a consumer has not applied all events');
    if (deadLetters > 0) breaches.push(`${deadLetters} events were put aside`);
    if (standstillSeconds > standstillMaxSeconds)
      breaches.push(`the events of ${lane} stood still for ${standstillSeconds.toFixed(1)} s`);
    if (mail > standstillMaxSeconds) breaches.push(`no message was accepted for ${mail.toFixed(1)} s`);
    return Math.max(standstillSeconds, mail);
  }
}

/** Seconds between two accepted messages. */
function longestPause(events: readonly SessionEvent[]): number {
  const times = events.filter(({ name }) => name === 'TAKEN').map(({ at }) => at);
  return Math.max(0, ...times.slice(1).map((at, n) => at - times[n]!)) / 1000;
}
