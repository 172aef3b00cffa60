import { environment, median, report } from '../report.js';
import { importIntoListmonk, importIntoTidings } from './import-side.js';
import { Listmonk } from './listmonk.js';
import { ListmonkSide } from './listmonk-side.js';
import { readOptions } from './options.js';
import { SinkClient } from './sink-client.js';
import { TidingsSide } from './tidings-side.js';
import type { Killed } from './tidings-side.js';
import type { SideRun } from './tidings-side.js';

const options = readOptions(process.argv.slice(2));
const { buildDir, databaseUrl } = environment();
/** The default settings of listmonk send a hundred a second; nothing here is slower on a slow machine. */
const patienceMs = (size: number): number => 120_000 + size * 50;
const importMs = 3_600_000;
const worthMs = 0.001;

const say = (text: string): void => void process.stderr.write(`· ${text}\n`);

function rowOf(name: string, runs: readonly SideRun[]) {
  const sum = ({ used }: SideRun): number => [...used.cpu.values()].reduce((all, ms) => all + ms, 0);
  return {
    name,
    'a second': median(runs.map(({ rate }) => rate)),
    least: Math.min(...runs.map(({ rate }) => rate)),
    most: Math.max(...runs.map(({ rate }) => rate)),
    'ms of processor a mail': median(runs.map(sum)),
    'MB at most': Math.max(...runs.map(({ used }) => used.megabytes)),
    'MB of disk a million': median(runs.map(({ bytes }) => bytes)),
  };
}

function printProcesses(name: string, runs: readonly SideRun[]): void {
  const names = [...new Set(runs.flatMap(({ used }) => [...used.cpu.keys()]))];
  const lines = names
    .map((process) => ({ process, ms: median(runs.map(({ used }) => used.cpu.get(process) ?? 0)) }))
    .filter(({ ms }) => ms >= worthMs)
    .sort((a, b) => b.ms - a.ms)
    .map(({ process, ms }) => `    ${process.padEnd(20)} ${ms.toFixed(3)}`);
  process.stdout.write(`\n  milliseconds of processor time a mail, ${name}\n${lines.join('\n')}\n`);
}

/** Both with their best settings, in turn; then ours with signatures. */
async function compareBest(sink: SinkClient, theirs: ListmonkSide): Promise<void> {
  const { size, runs, connections } = options;
  const withinMs = patienceMs(size);
  const sides = { unsigned: [] as SideRun[], listmonk: [] as SideRun[], signed: [] as SideRun[] };
  const unsigned = await TidingsSide.start(sink, { dkim: 'relay', connections });
  try {
    await unsigned.send(Math.min(size, 2_000), withinMs);
    for (let run = 0; run < runs; run++) {
      sides.unsigned.push(await unsigned.send(size, withinMs));
      say(`Tidings, unsigned: ${sides.unsigned.at(-1)!.rate.toFixed(0)} a second`);
      sides.listmonk.push(await theirs.send(size, { connections, withinMs }));
      say(`listmonk: ${sides.listmonk.at(-1)!.rate.toFixed(0)} a second`);
    }
  } finally {
    await unsigned.stop();
  }
  const signed = await TidingsSide.start(sink, { dkim: 'ours', connections });
  try {
    await signed.send(Math.min(size, 2_000), withinMs);
    for (let run = 0; run < runs; run++) sides.signed.push(await signed.send(size, withinMs));
  } finally {
    await signed.stop();
  }
  const rows = [
    rowOf('Tidings, unsigned', sides.unsigned),
    rowOf('listmonk', sides.listmonk),
    rowOf('Tidings, signed', sides.signed),
  ];
  report(`versus-listmonk, best settings: ${size} people, ${connections} connections, medians of ${runs}`, rows, [
    { name: 'unsigned against listmonk', value: rows[0]!['a second'] / rows[1]!['a second'], bar: '(no bar)' },
    { name: 'signed against listmonk', value: rows[2]!['a second'] / rows[1]!['a second'], bar: '(no bar)' },
  ]);
  printProcesses('Tidings, unsigned', sides.unsigned);
  printProcesses('listmonk', sides.listmonk);
  printProcesses('Tidings, signed', sides.signed);
}

async function compareDefaults(sink: SinkClient, theirs: ListmonkSide): Promise<void> {
  const size = options.defaultSize;
  const withinMs = patienceMs(size);
  const tidings = await TidingsSide.start(sink, { dkim: 'ours', connections: null });
  try {
    await tidings.send(Math.min(size, 2_000), withinMs);
    const rows = [
      rowOf('Tidings, signed', [await tidings.send(size, withinMs)]),
      rowOf('listmonk', [await theirs.send(size, { connections: null, withinMs })]),
    ];
    report(`versus-listmonk, default settings: ${size} people`, rows, []);
  } finally {
    await tidings.stop();
  }
}

async function compareKills(sink: SinkClient, theirs: ListmonkSide): Promise<void> {
  const { size, connections, settle } = options;
  const how = { withinMs: patienceMs(size), settleMs: settle * 1000 };
  const tidings = await TidingsSide.start(sink, { dkim: 'relay', connections });
  try {
    const tenant = await tidings.kill(size, how);
    const other = await theirs.kill(size, { ...how, connections });
    const row = (name: string, { never, unnamed, twice, inDoubt }: Killed) => ({
      name,
      'never arrived': never,
      'not named': unnamed,
      twice,
      'in doubt': inDoubt ?? 'not known',
    });
    report(
      `versus-listmonk, all processes killed by signal 9 after half of ${size} messages, and started again`,
      [row('Tidings', tenant), row('listmonk', other)],
      [],
    );
  } finally {
    await tidings.stop();
  }
}

async function compareImports(listmonk: Listmonk, sinkPort: number): Promise<void> {
  const { importRows, connections } = options;
  const tenant = await importIntoTidings(importRows);
  await listmonk.fill(0);
  await listmonk.start({ sinkPort, connections });
  const other = await importIntoListmonk(listmonk, importRows, importMs);
  await listmonk.end('SIGTERM');
  const row = (name: string, { rowsPerSecond, queryMs }: typeof tenant) => ({
    name,
    'rows a second': rowsPerSecond,
    'count by a custom field, ms': queryMs,
  });
  report(
    `versus-listmonk, a CSV of ${importRows} rows, and a count over them`,
    [row('Tidings', tenant), row('listmonk', other)],
    [{ name: 'import against listmonk', value: tenant.rowsPerSecond / other.rowsPerSecond, bar: '(no bar)' }],
  );
}

const sink = await SinkClient.start(buildDir);
const listmonk = await Listmonk.install(options.listmonk, databaseUrl);
try {
  const theirs = new ListmonkSide(listmonk, sink);
  await compareBest(sink, theirs);
  await compareDefaults(sink, theirs);
  await compareKills(sink, theirs);
  if (options.importRows > 0) await compareImports(listmonk, sink.port);
} finally {
  await listmonk.stop();
  sink.stop();
}
