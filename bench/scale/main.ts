import { parseArgs } from 'node:util';
import { report } from '../report.js';
import { busiest, capacityOf, simulateMonth } from './cell-month.js';
import type { CellMonth, UnitCosts } from './cell-month.js';
import { demandOf } from './demand.js';
import type { Demand } from './demand.js';

/*
 * Simulates a month of 1 M to 1,000 M mails in as many cells as docs/guides/scale.md names, from what one mail costs: how long
 * campaigns take, and which limit is the nearest. `--processor-ms` is what one mail costs on your machine
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
  { mails: 1e7, organizations: 500, cells: 1, cores: 2 },
  { mails: 1e8, organizations: 5_000, cells: 1, cores: 6 },
  { mails: 1e9, organizations: 50_000, cells: 9, cores: 6 },
];
const monthsKept = 25;
/** What a cell should not exceed: the limits of docs/guides/scale.md, and an hour for nearly each campaign. */
const limits = { diskBytes: 2e12, streamBytes: 4e9, campaignMinutes: 60 };

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

function simulate({ mails, organizations, cells, cores }: (typeof installations)[number]) {
  const demands = demandOf({ mailsPerMonth: mails, organizations, seed: Number(options.seed) });
  const cell = { cores: Number(options.cores ?? cores), relayRate: Number(options['relay-rate']) };
  const capacity = capacityOf(cell, costs);
  const months = divide(demands, cells).map((part) => simulateMonth(part, capacity));
  const all = months[0]!.sent.map((_, minute) => months.reduce((sum, { sent }) => sum + sent[minute]!, 0));
  const minutes = months.flatMap(({ courses }) => courses.map((course) => course.minutes)).sort((a, b) => a - b);
  const worst = (figure: (month: CellMonth) => number) => Math.max(...months.map(figure));
  const used = {
    disk: (worst((month) => total(costOf(month, 'keptBytes'))) * monthsKept) / limits.diskBytes,
    stream: worst((month) => busiest(costOf(month, 'streamBytes'), streamMinutes)) / limits.streamBytes,
    sending: minutes[Math.floor(minutes.length * 0.99)]! / limits.campaignMinutes,
  };
  const [limit, share] = Object.entries(used).sort(([, a], [, b]) => b - a)[0]!;
  return {
    name: `${mails / 1e6} M, ${cells} × ${cell.cores} cores`,
    'a second': busiest(all, 1) / second,
    'times average': busiest(all, 1) / (total(all) / all.length),
    'p50 min': minutes[Math.floor(minutes.length / 2)]!,
    p99: minutes[Math.floor(minutes.length * 0.99)]!,
    longest: minutes.at(-1)!,
    'busy %': worst(({ sent }) => (sent.filter((one) => one > capacity * 0.999).length / sent.length) * 100),
    'rows/s': worst((month) => busiest(costOf(month, 'rows'), 1)) / second,
    'WAL GB/day': worst((month) => busiest(costOf(month, 'walBytes'), day)) / 1e9,
    'stream MB': (used.stream * limits.streamBytes) / 1e6,
    'disk TB': (used.disk * limits.diskBytes) / 1e12,
    nearest: `${limit} ${(share * 100).toFixed(0)} %`,
  };
}

report(`scale: a month of mail, ${costs.processorMs} ms of processor time for each`, installations.map(simulate), []);
