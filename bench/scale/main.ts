import { parseArgs } from 'node:util';
import { report } from '../report.js';
import { busiest, capacityOf, simulateMonth } from './cell-month.js';
import type { CellMonth, Course, UnitCosts } from './cell-month.js';
import { demandOf } from './demand.js';
import type { Demand } from './demand.js';

/*
 * Simulates a month of 1 M to 1,000 M mails in as many cells as docs/guides/scale.md names, from what one mail costs: how long
 * campaigns take, and what the busiest cell writes and keeps. `--processor-ms` is what one mail costs on your machine
 * (`npm run bench -- campaign-send`), `--cores` how many each cell has for sending, `--relay-rate` the mails a second that the
 * relays of a cell accept.
 */

const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    'processor-ms': { type: 'string', default: '1.5' },
    'relay-rate': { type: 'string', default: 'Infinity' },
    cores: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

const costs: UnitCosts = {
  processorMs: Number(options['processor-ms']),
  mail: { rows: 3.4, walBytes: 1_400, keptBytes: 450, streamBytes: 45 },
  activity: { rows: 4, walBytes: 1_400, keptBytes: 600, streamBytes: 400 },
};
const installations = [
  { mails: 1e6, organizations: 50, cells: 1, cores: 1 },
  { mails: 1e7, organizations: 500, cells: 1, cores: 1 },
  { mails: 1e8, organizations: 5_000, cells: 1, cores: 2 },
  { mails: 1e8, organizations: 5_000, cells: 1, cores: 6 },
  { mails: 1e9, organizations: 50_000, cells: 9, cores: 2 },
  { mails: 1e9, organizations: 50_000, cells: 9, cores: 6 },
];
const monthsKept = 25;
const [second, day, streamMinutes] = [60, 1_440, 2_880];

/** Each new organization goes to the cell that has the least mail. */
function divide(demands: readonly Demand[], cells: number): Demand[][] {
  const parts = Array.from({ length: cells }, () => ({ mails: 0, demands: [] as Demand[] }));
  for (const demand of demands) {
    const least = parts.reduce((a, b) => (b.mails < a.mails ? b : a));
    least.demands.push(demand);
    least.mails += demand.campaigns.reduce((sum, { mails }) => sum + mails, demand.singleMails);
  }
  return parts.map((part) => part.demands);
}

const costOf = ({ sent, activities }: CellMonth, cost: 'rows' | 'walBytes' | 'keptBytes' | 'streamBytes') =>
  sent.map((mails, minute) => mails * costs.mail[cost] + activities[minute]! * costs.activity[cost]);
const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

/** Minutes within which the campaigns of this share of all mails end. */
function minutesFor(courses: readonly Course[], share: number): number {
  const sorted = [...courses].sort((a, b) => a.minutes - b.minutes);
  let left = sorted.reduce((sum, { mails }) => sum + mails, 0) * share;
  return sorted.find(({ mails }) => (left -= mails) <= 0)!.minutes;
}

function simulate({ mails, organizations, cells, cores }: (typeof installations)[number]) {
  const demands = demandOf({ mailsPerMonth: mails, organizations, seed: Number(options.seed) });
  const cell = { cores: Number(options.cores ?? cores), relayRate: Number(options['relay-rate']) };
  const capacity = capacityOf(cell, costs);
  const months = divide(demands, cells).map((part) => simulateMonth(part, capacity));
  const all = months[0]!.sent.map((_, minute) => months.reduce((sum, { sent }) => sum + sent[minute]!, 0));
  const courses = months.flatMap((month) => month.courses);
  const worst = (figure: (month: CellMonth) => number) => Math.max(...months.map(figure));
  const diskBytes = worst((month) => total(costOf(month, 'keptBytes'))) * monthsKept;
  const streamBytes = worst((month) => busiest(costOf(month, 'streamBytes'), streamMinutes));
  return {
    name: `${mails / 1e6} M, ${cells} × ${cell.cores} cores`,
    'a second': busiest(all, 1) / second,
    'unsent %': Math.max(0, 1 - total(all) / mails) * 100,
    'half, min': minutesFor(courses, 0.5),
    '95 %, min': minutesFor(courses, 0.95),
    'longest, min': minutesFor(courses, 1),
    'busy %': worst(({ sent }) => (sent.filter((one) => one > capacity * 0.999).length / sent.length) * 100),
    'rows/s': worst((month) => busiest(costOf(month, 'rows'), 1)) / second,
    'WAL GB/day': worst((month) => busiest(costOf(month, 'walBytes'), day)) / 1e9,
    'stream MB': streamBytes / 1e6,
    'disk TB': diskBytes / 1e12,
  };
}

report(`scale: a month of mail, ${costs.processorMs} ms of processor time for each`, installations.map(simulate), []);
