import type { Judgement } from '#contracts';
import { settledCounts } from '#contracts';
import type { DeliverabilityEvent } from '../../message/message-events.js';

export interface DeliverabilityCounts {
  /** Messages that a mail server took or refused. */
  sent: number;
  delivered: number;
  bounced: number;
  complained: number;
}

/** Returns the counts that one event adds; null for messages that never left. */
export function healthAdditionOf({ name, data }: DeliverabilityEvent): Partial<DeliverabilityCounts> | null {
  if (name === 'messages.settled') return settledCounts(data, { simulated: false });
  if (data.simulated) return null;
  switch (name) {
    case 'message.sent':
      return { sent: 1 };
    case 'message.delivered':
      return { delivered: 1 };
    case 'message.bounced':
      if (!data.countedAs) return { sent: 1, bounced: 1 };
      return { bounced: 1, delivered: data.countedAs === 'DELIVERED' ? -1 : 0 };
    case 'message.complained':
      return { complained: 1 };
  }
}

/**
 * In messages of a thousand. Gmail and Yahoo require less than 0.1 % complaints and never 0.3 %; Amazon reviews senders
 * with 5 % bounces and advises less than 2 %.
 */
export const healthLines = {
  complaintRate: { warn: 1, critical: 3 },
  bounceRate: { warn: 20, critical: 50 },
} as const;

const rate = (part: number, whole: number): number =>
  whole > 0 ? Math.round((Math.max(0, part) / whole) * 1e6) / 1e6 : 0;

/** Rates as fractions, 0 where nothing was sent. */
export const ratesOf = ({ sent, delivered, bounced, complained }: DeliverabilityCounts) => ({
  delivery: rate(delivered, sent),
  bounce: rate(bounced, sent),
  complaint: rate(complained, delivered),
});

const rateAdvice = {
  complaintRate: {
    OK: 'Few recipients report your mail as spam. Keep sending only to subscribers who asked for it.',
    WARN: 'More than one in a thousand report your mail as spam: mailbox providers begin to filter it. Send less often to subscribers who do not open, and make unsubscribing easy to find.',
    CRITICAL:
      'Three in a thousand or more report your mail as spam, which large mailbox providers do not accept. Stop campaigns, and send only to subscribers who asked for mail recently.',
  },
  bounceRate: {
    OK: 'Few addresses bounce. Dead addresses are skipped automatically.',
    WARN: 'One in fifty messages or more bounces. Look at where these addresses come from, and ask new subscribers to confirm theirs (double opt-in).',
    CRITICAL:
      'One in twenty messages or more bounces, which looks like a bought or old list. Stop campaigns, and write only to addresses that opened or clicked lately.',
  },
} as const;

export function rateHealth(counts: DeliverabilityCounts): Judgement[] {
  const { bounce, complaint } = ratesOf(counts);
  return [
    judgeRate('complaintRate', { part: counts.complained, whole: counts.delivered, value: complaint }),
    judgeRate('bounceRate', { part: counts.bounced, whole: counts.sent, value: bounce }),
  ];
}

function judgeRate(
  metric: keyof typeof healthLines,
  { part, whole, value }: { part: number; whole: number; value: number },
): Judgement {
  const { warn, critical } = healthLines[metric];
  // Late reports of earlier mail may be alone in a window.
  const reaches = (line: number) => whole > 0 && part > 0 && part * 1000 >= line * whole;
  const verdict = reaches(critical) ? 'CRITICAL' : reaches(warn) ? 'WARN' : 'OK';
  const few =
    whole > 0 && whole < 1000
      ? ` Only ${whole} ${whole === 1 ? 'message' : 'messages'} so far: one more changes this figure much.`
      : '';
  const advice = whole === 0 ? 'Nothing was sent that allows a verdict.' : `${rateAdvice[metric][verdict]}${few}`;
  return { metric, value, threshold: (verdict === 'CRITICAL' ? critical : warn) / 1000, verdict, advice };
}

/** Points taken off the score, at most: a hundred in all. */
const weights: Record<Judgement['metric'], { WARN: number; CRITICAL: number }> = {
  complaintRate: { WARN: 40, CRITICAL: 40 },
  bounceRate: { WARN: 30, CRITICAL: 30 },
  dns: { WARN: 5, CRITICAL: 15 },
  alignment: { WARN: 3, CRITICAL: 10 },
  unsubscribeLatency: { WARN: 1, CRITICAL: 2 },
  content: { WARN: 3, CRITICAL: 3 },
};
const fewMessages = 100;

/** The score of all time: rates take off in proportion up to their critical line, the rest by its verdict. */
export function trustOf(counts: DeliverabilityCounts, signals: readonly Judgement[]) {
  const share = (part: number, whole: number, line: number) =>
    Math.min(1, (Math.max(0, part) * 1000) / (Math.max(whole, fewMessages) * line));
  const off =
    weights.complaintRate.CRITICAL * share(counts.complained, counts.delivered, healthLines.complaintRate.critical) +
    weights.bounceRate.CRITICAL * share(counts.bounced, counts.sent, healthLines.bounceRate.critical) +
    signals
      .filter(({ metric }) => metric !== 'complaintRate' && metric !== 'bounceRate')
      .reduce((sum, { metric, verdict }) => sum + (verdict === 'OK' ? 0 : weights[metric][verdict]), 0);
  const trustScore = Math.max(0, Math.round(100 - off));
  return {
    trustScore,
    level: trustScore >= 85 ? ('HIGH' as const) : trustScore >= 60 ? ('MEDIUM' as const) : ('LOW' as const),
  };
}

export const earlyResultsMax = 1000;
/** Below this number of bounces, the rate means nothing. */
const earlyBouncesMin = 20;

/**
 * @param total how many the campaign goes to
 * @returns why it must be paused; null if it may go on
 */
export function earlyResultsVerdict(
  { results, bounced, complained }: { results: number; bounced: number; complained: number },
  total: number,
): string | null {
  const { bounceRate, complaintRate } = healthLines;
  const needed = (line: number, of: number) => Math.ceil((of * line) / 1000);
  // Results come in batches, so one batch may pass the thousand.
  const judged = Math.max(results, Math.min(total, earlyResultsMax));
  if (bounced >= Math.max(earlyBouncesMin, needed(bounceRate.critical, judged))) {
    return `Paused automatically: ${bounced} of its first messages bounced. Mailbox providers treat 5 % as the sign of a bad list. Clean the list, or resume to continue regardless.`;
  }
  if (complained >= needed(complaintRate.critical, Math.max(results, earlyResultsMax))) {
    return `Paused automatically: ${complained} of its first recipients reported it as spam. Large mailbox providers accept less than 0.3 %. Stop it, or resume to continue regardless.`;
  }
  return null;
}
