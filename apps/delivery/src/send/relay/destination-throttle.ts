import { domainToASCII } from 'node:url';
import { receiverVerdict } from '../../message/attempt-report.js';
import type { AttemptReport } from '../../message/attempt-report.js';

/** Refusals in a row, without an accepted message between them, that indicate the domain and not its recipients. */
const busyAfter = 5;
/** Seconds in which nothing is tried, by how often trying failed. */
const waits = [30, 60, 120, 300, 900, 1800];
/** Domains that are remembered; one that is forgotten is learnt again by a few messages. */
const destinationsMax = 10_000;
/** Seconds for which messages wait behind a probe, which may hang for minutes. */
const behindTrySeconds = 60;

interface Receiver {
  open: number;
  refusals: number;
  /** How often it was found to take nothing since it last did; 0 while it is well. */
  rounds: number;
  /** Until when nothing is tried, in milliseconds. */
  until: number;
  reason: string;
}

/** Why messages to a domain are deferred, and for how many seconds. */
export interface Backoff {
  wait: number;
  reason: string;
}

/**
 * Backs off recipient domains that defer our mail: such a domain gets nothing for a growing time, then one probe. State
 * is per process: after a restart a few messages detect it again.
 */
export class DestinationThrottle {
  readonly #met = new Map<string, Receiver>();

  /** @param connections how many messages may be in progress to one domain; null for no limit */
  constructor(private readonly connections: number | null) {}

  holdOf(domain: string, nowMs: number): Backoff | null {
    const met = this.#met.get(domain);
    if (!met || met.rounds === 0) return null;
    const wait = met.until > nowMs ? Math.ceil((met.until - nowMs) / 1000) : met.open > 0 ? behindTrySeconds : 0;
    return wait === 0
      ? null
      : { wait, reason: `${domain} takes no mail at the moment (${met.reason}). It is tried again.` };
  }

  leftAlone(nowMs: number): string[] {
    return [...this.#met].filter(([, { until }]) => until > nowMs).map(([domain]) => domain);
  }

  hasRoom(domain: string): boolean {
    return this.connections === null || (this.#met.get(domain)?.open ?? 0) < this.connections;
  }

  begin(domain: string): void {
    const met = this.#met.get(domain);
    if (met) {
      met.open += 1;
      return;
    }
    this.#met.set(domain, { open: 1, refusals: 0, rounds: 0, until: 0, reason: '' });
    if (this.#met.size > destinationsMax) this.#forgetOne();
  }

  #forgetOne(): void {
    for (const [domain, { open }] of this.#met) {
      if (open === 0) return void this.#met.delete(domain);
    }
  }

  /** Records a report; null if no attempt was made. @returns whether the domain's backoff begins now */
  end(domain: string, report: AttemptReport | null, nowMs: number): boolean {
    const met = this.#met.get(domain)!;
    met.open -= 1;
    const verdict = report && receiverVerdict(report);
    if (verdict === 'well') Object.assign(met, { refusals: 0, rounds: 0, until: 0 });
    // A message that was in progress when the backoff began says nothing new.
    if (verdict === 'busy' && met.until <= nowMs) met.refusals += 1;
    const isFound = verdict === 'busy' && met.until <= nowMs && (met.rounds > 0 || met.refusals >= busyAfter);
    if (isFound) {
      met.until = nowMs + waits[Math.min(met.rounds, waits.length - 1)]! * 1000;
      met.rounds += 1;
      met.reason = report?.kind === 'replied' ? report.response.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 300) : '';
    }
    if (met.open === 0 && met.refusals === 0) this.#met.delete(domain);
    return isFound;
  }
}

/** Returns the destination of an address: its domain in lower case and ASCII form. */
export function receiverOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return /^\p{ASCII}*$/u.test(domain) ? domain : domainToASCII(domain);
}
