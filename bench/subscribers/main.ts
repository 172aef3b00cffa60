import { report } from '../report.js';
import { measureAudience } from './audience.js';
import { measureCount } from './count.js';
import { readOptions } from './options.js';
import type { Options } from './options.js';
import { measureReads, textSearch } from './reads.js';
import { Organization, timed } from './organization.js';
import { measureExplain, measurePreview } from './preview.js';
import { measureExport, measureImport } from './transfer.js';

/** The subscriber service at growing sizes: each organization in a system and a database of its own, all of them at once. */
async function subscribers(options: Options): Promise<void> {
  const organizations: Organization[] = [];
  try {
    for (const size of options.sizes) organizations.push(await built(size, options));
    if (options.only.includes('reads')) reportReads(await measureReads(organizations));
    if (options.only.includes('audience')) {
      for (const organization of organizations) reportAudience(organization.size, await measureAudience(organization));
    }
    await measureLargest(organizations.at(-1)!, options);
    await measureBeforeSend(organizations.at(-1)!, options);
  } finally {
    for (const organization of organizations) await organization.leave();
  }
}

/** Only the count uses history, but for a fair comparison every subscriber then has one. */
async function built(size: number, { only, events: each }: Options): Promise<Organization> {
  const events = only.includes('count') || only.includes('explain') ? each : 0;
  let organization: Organization | undefined;
  const ms = await timed(async () => {
    const isSending = only.includes('preview') || only.includes('explain');
    organization = await Organization.build({ size, events, isSending });
  });
  process.stdout.write(
    `${size.toLocaleString('en')} people with ${(size * events).toLocaleString('en')} events stand after ${(ms / 1000).toFixed(0)} s\n`,
  );
  return organization!;
}

/** Measured once: these depend on size, not on growth. */
async function measureLargest(organization: Organization, { only }: Options): Promise<void> {
  const people = `${organization.size.toLocaleString('en')} people`;
  if (only.includes('count')) {
    const sides = await measureCount(organization);
    const [plain, history] = [sides.slice(0, -2), sides.slice(-2)];
    const best = Math.min(...plain.filter(({ byHand }) => byHand).map(({ ms }) => ms));
    report(
      `a segment of three filters, ${people}`,
      sides.map(({ name, ms }) => ({ name, ms })),
      [
        { name: 'against the best statement by hand', value: plain[0]!.ms / best, bar: '<= 1.2' },
        { name: 'by history, against the same by hand', value: history[0]!.ms / history[1]!.ms, bar: '(no bar)' },
      ],
    );
  }
  if (only.includes('import')) {
    const { imported, copied } = await measureImport(organization);
    report(
      `import beside ${people}`,
      [
        { name: 'import_subscribers', 'rows/s': imported },
        { name: 'COPY', 'rows/s': copied },
      ],
      [{ name: 'import against COPY', value: imported / copied, bar: '>= 0.25' }],
    );
  }
  if (only.includes('export')) {
    const { rate, peakMb } = await measureExport(organization);
    report(
      `export of ${people}`,
      [{ name: 'create_subscriber_export', 'rows/s': rate, MB: peakMb }],
      [{ name: 'most memory, of 200 MB', value: peakMb / 200, bar: '< 1' }],
    );
  }
}

async function measureBeforeSend(organization: Organization, { only }: Options): Promise<void> {
  const people = `${organization.size.toLocaleString('en')} people`;
  if (only.includes('preview')) {
    const { preview, byHand } = await measurePreview(organization);
    report(
      `preview_send to half of ${people}`,
      [
        { name: 'preview_send', ms: preview },
        { name: 'by hand', ms: byHand },
      ],
      [
        { name: 'against the statement by hand', value: preview / byHand, bar: '<= 1.2' },
        { name: 'of 2 s', value: preview / 2_000, bar: '<= 1' },
      ],
    );
  }
  if (only.includes('explain')) {
    const sides = await measureExplain(organization);
    report(
      `explain, ${people}`,
      sides.map(({ name, median, p95 }) => ({ name, ms: median, p95 })),
      sides.map(({ name, p95 }) => ({ name: `${name}: p95 of 100 ms`, value: p95 / 100, bar: '<= 1' })),
    );
  }
}

function reportAudience(size: number, { freeze, ...pages }: Awaited<ReturnType<typeof measureAudience>>): void {
  report(
    `an audience of ${size.toLocaleString('en')} (frozen in ${freeze.toFixed(1)} s), ms a page of 500`,
    Object.entries(pages).map(([name, ms]) => ({ name: `${name} pages`, ms })),
    [{ name: 'last pages against first pages', value: pages.last / pages.first, bar: '<= 1.3' }],
  );
}

function reportReads(taken: Awaited<ReturnType<typeof measureReads>>): void {
  const rows = [...taken].map(([name, byTown]) => ({ name, figures: [...byTown] }));
  const textMs = taken.get(textSearch)!;
  report(
    'single calls by size of the organization, ms (median)',
    rows.map(({ name, figures }) => ({
      name,
      ...Object.fromEntries(figures.map(([{ size }, ms]) => [size.toLocaleString('en'), ms])),
    })),
    [
      ...rows
        .filter(({ name }) => name !== textSearch)
        .map(({ name, figures }) => ({
          name: `${name}: largest against smallest`,
          value: figures.at(-1)![1] / figures[0]![1],
          bar: '<= 1.3',
        })),
      { name: `${textSearch}: of 100 ms`, value: [...textMs.values()].at(-1)! / 100, bar: '< 1' },
    ],
  );
}

await subscribers(readOptions(process.argv.slice(2)));
