import { TestSystem } from '#testing';
import { environment, report } from '../report.js';
import { measureAudience } from './audience.js';
import { measureCount } from './count.js';
import { readOptions } from './options.js';
import type { Options } from './options.js';
import { measureReads } from './reads.js';
import { Town, timed } from './town.js';
import { measureExport, measureImport } from './transfer.js';

/** The subscriber service at growing sizes: each organization is larger than the one before, in the same tables. */
async function subscribers(options: Options): Promise<void> {
  const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
  const system = await TestSystem.start({
    ...{ buildDir, databaseUrl, natsUrl, masterKey },
    environment: {},
    processes: ['domain', 'subscriber'],
  });
  try {
    const reads = new Map<number, Record<string, number>>();
    for (const size of options.sizes) {
      const largest = size === options.sizes.at(-1);
      const town = await built(system, natsUrl, {
        size,
        events: largest && options.only.includes('count') ? options.events : 0,
      });
      if (options.only.includes('reads')) reads.set(size, await measureReads(town));
      if (options.only.includes('audience')) reportAudience(size, await measureAudience(town));
      if (largest && reads.size > 0) reportReads(reads);
      if (largest) await measureLargest(town, system, options);
      await town.leave();
    }
  } finally {
    await system.stop();
  }
}

async function built(system: TestSystem, natsUrl: string, what: { size: number; events: number }): Promise<Town> {
  let town: Town | undefined;
  const ms = await timed(async () => {
    town = await Town.build(system, natsUrl, what);
  });
  process.stdout.write(
    `${what.size.toLocaleString('en')} people with ${(what.size * what.events).toLocaleString('en')} events stand after ${(ms / 1000).toFixed(0)} s\n`,
  );
  return town!;
}

/** What is measured once: it is about size, not about growth. */
async function measureLargest(town: Town, system: TestSystem, { only }: Options): Promise<void> {
  const people = `${town.size.toLocaleString('en')} people`;
  if (only.includes('count')) {
    const sides = await measureCount(town);
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
    const { imported, copied } = await measureImport(town);
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
    const { rate, peakMb } = await measureExport(town, system);
    report(
      `export of ${people}`,
      [{ name: 'create_subscriber_export', 'rows/s': rate, MB: peakMb }],
      [{ name: 'most memory, of 200 MB', value: peakMb / 200, bar: '< 1' }],
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

function reportReads(reads: ReadonlyMap<number, Record<string, number>>): void {
  const sizes = [...reads.keys()];
  const [smallest, largest] = [reads.get(sizes[0]!)!, reads.get(sizes.at(-1)!)!];
  const names = Object.keys(smallest);
  report(
    'single calls by size of the organization, ms (median)',
    names.map((name) => ({
      name,
      ...Object.fromEntries(sizes.map((size) => [size.toLocaleString('en'), reads.get(size)![name]!])),
    })),
    [
      ...names
        .filter((name) => !name.startsWith('text'))
        .map((name) => ({
          name: `${name}: largest against smallest`,
          value: largest[name]! / smallest[name]!,
          bar: '<= 1.3',
        })),
      { name: 'text, few match: of 100 ms', value: largest['text, few match']! / 100, bar: '< 1' },
    ],
  );
}

await subscribers(readOptions(process.argv.slice(2)));
