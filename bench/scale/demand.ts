import { seeded } from '../../faults/rig/seeded-random.js';

const minutesPerDay = 1_440;
const daysPerMonth = 30;

/** Mails that an organization sends to its subscribers at once. */
export interface Campaign {
  /** Minutes since the start of the month. */
  startsAt: number;
  mails: number;
}

/** What one organization sends in a month. */
export interface Demand {
  campaigns: Campaign[];
  /** Mails of workflows and single calls, spread by the hour of the day. */
  singleMails: number;
}

export interface DemandOptions {
  mailsPerMonth: number;
  organizations: number;
  seed: number;
}

const campaignsPerMonth = 4;
const shareOfCampaigns = 0.8;
/** Sizes of organizations: few are large (a Pareto distribution), and none sends more than this share of all mail. */
const paretoShape = 1.1;
const shareOfLargest = 0.1;
const shareOnFullHour = 0.5;
const weekendWeight = 0.4;
/** How much is sent in each hour of a day: business hours of one time zone, which is the hardest case. */
const hourWeights = [1, 1, 1, 1, 1, 2, 3, 5, 8, 11, 11, 9, 7, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1, 1];

const dayWeights = Array.from({ length: daysPerMonth }, (_, day) => (day % 7 < 5 ? 1 : weekendWeight));

const minuteWeights = dayWeights.flatMap((day) => hourWeights.flatMap((hour) => Array<number>(60).fill(day * hour)));
const totalWeight = minuteWeights.reduce((sum, weight) => sum + weight, 0);

/** The share of a month's single mails that each of its minutes has. */
export const minuteShares: readonly number[] = minuteWeights.map((weight) => weight / totalWeight);

/** The demand of each organization; the same for the same seed. */
export function demandOf({ mailsPerMonth, organizations, seed }: DemandOptions): Demand[] {
  const random = seeded(seed);
  const sizes = Array.from({ length: organizations }, () => (1 - random()) ** (-1 / paretoShape));
  return sharesOf(sizes, Math.max(shareOfLargest, 1 / organizations)).map((share) => {
    const mails = share * mailsPerMonth;
    const each = Math.round((mails * shareOfCampaigns) / campaignsPerMonth);
    return {
      campaigns: Array.from({ length: campaignsPerMonth }, () => ({ startsAt: startOf(random), mails: each })),
      singleMails: mails * (1 - shareOfCampaigns),
    };
  });
}

/** Shares in proportion to sizes, with none above `most`: what is cut off goes to the others. */
function sharesOf(sizes: readonly number[], most: number): number[] {
  const capped = new Set<number>();
  for (;;) {
    const left = 1 - capped.size * most;
    const total = sizes.reduce((sum, size, n) => (capped.has(n) ? sum : sum + size), 0);
    const shares = sizes.map((size, n) => (capped.has(n) ? most : (size / total) * left));
    const above = shares.flatMap((share, n) => (share > most * 1.000_001 ? [n] : []));
    if (above.length === 0) return shares;
    for (const n of above) capped.add(n);
  }
}

function startOf(random: () => number): number {
  const day = pick(dayWeights, random);
  const hour = pick(hourWeights, random);
  const minute = random() < shareOnFullHour ? 0 : Math.floor(random() * 60);
  return day * minutesPerDay + hour * 60 + minute;
}

function pick(weights: readonly number[], random: () => number): number {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (left -= weight) < 0);
}
