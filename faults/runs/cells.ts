import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { TidingsClient } from '#client';
import { domainRequests } from '#contracts';
import { uuidOf } from '#database';
import { TestSystem, until } from '#testing';
import { awaitEnd, checkHistory, listUnsent, rigBus } from './campaign.js';
import type { CampaignRun } from './campaign.js';
import { services } from '../inject/process-fault.js';
import { FaultSink } from '../sink/fault-sink.js';
import { startKillablePostgres } from '../rig/servers.js';
import type { KillableServer, KillableServers } from '../rig/servers.js';
import { withDatabaseAt } from '../rig/system-database.js';
import { table } from '../report/table.js';
import { judge } from '../check/invariants.js';
import type { InvariantCheck } from '../check/invariants.js';

const organizationsPerCell = 2;
const recipients = 1_000;
/** Messages a second that the relay takes: all campaigns together last long enough to be struck. */
const rate = 200;
/**
 * Milliseconds for which the other cell's PostgreSQL is down, and when: after this many messages of its organizations.
 */
const awayMs = 5_000;
const strikeAt = 300;
const endMs = 240_000;
const other = 'faults_other';
const cellServices = services.filter((name) => name !== 'domain' && name !== 'gateway');

type Cell = 'home' | 'other';

interface Placed extends CampaignRun {
  cell: Cell;
  client: TidingsClient;
}

interface Row {
  cell: Cell;
  verdict: InvariantCheck;
  /** Accepted while the PostgreSQL of the other cell was away. */
  whileAway: number;
  /** What of the organization is in the database of its cell, and in the one that it has nothing to do with. */
  rows: { own: number; foreign: number };
}

export interface CellsResult {
  rows: Row[];
  seconds: number;
  breaches: string[];
}

/**
 * Two cells on two PostgreSQL servers, with two processes of every service. Organizations of both send a campaign at
 * once, through both gateways. In the middle the server of one cell is killed and is down for a while. Each campaign
 * must reach every recipient once, the other cell's without interruption. No row may be in the wrong database.
 */
export async function runCells(servers: KillableServers, buildDir: string): Promise<CellsResult> {
  const started = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-cells-'));
  const sink = await FaultSink.start(join(folder, 'sink.jsonl'), rate);
  const postgres = await startKillablePostgres();
  let system: TestSystem | null = null;
  try {
    const environment = { SMTP_URL: sink.url, SEND_LEASE_SECONDS: '4', CELLS: other, LOG_LEVEL: 'warn' };
    const processes = [...services, ...services];
    system = await TestSystem.start({ ...servers, buildDir, environment, processes });
    const otherUrl = await system.addCell(other, [...cellServices, ...cellServices], postgres.databaseUrl);
    await Promise.all([system.awaitLedger(), system.awaitLedger(otherUrl)]);
    const bus = await rigBus(system);
    const urls = { home: system.environment.DATABASE_URL!, other: otherUrl };
    const rows = await strikeOneCell({ system, sink, postgres, bus, urls });
    await bus.close();
    return { rows, seconds: (Date.now() - started) / 1000, breaches: rows.flatMap(breachesOf) };
  } finally {
    await system?.stop();
    await postgres.stop();
    await sink.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface CellSystem {
  system: TestSystem;
  sink: FaultSink;
  postgres: KillableServer;
  bus: Bus;
  urls: Record<Cell, string>;
}

async function strikeOneCell({ system, sink, postgres, bus, urls }: CellSystem): Promise<Row[]> {
  const runs: Placed[] = [];
  for (let n = 0; n < 2 * organizationsPerCell; n++) {
    runs.push(await place(system, bus, n % 2 === 0 ? 'home' : 'other', n));
  }
  const taken = new Map<string, number>();
  sink.onTaken = (to) => taken.set(domainOf(to), (taken.get(domainOf(to)) ?? 0) + 1);
  const takenOf = (run: Placed) => taken.get(domainOf(run.recipients[0]!)) ?? 0;
  await Promise.all(runs.map(({ client, campaignId }) => client.tools.schedule_campaign({ campaignId })));
  const struck = runs.filter(({ cell }) => cell === 'other');
  await until('the campaigns are under way', () => struck.every((run) => takenOf(run) >= strikeAt), 60_000);
  const { connections } = sink;
  postgres.kill();
  const before = runs.map(takenOf);
  await pause(awayMs);
  const whileAway = runs.map((run, n) => takenOf(run) - before[n]!);
  await postgres.restart();
  const rows: Row[] = [];
  for (const [n, run] of runs.entries()) {
    const progress = await awaitEnd(bus, run, endMs);
    const history = await checkHistory(bus, run);
    const unsent = await listUnsent(bus, run);
    const events = (await sink.events()).filter(
      ({ to }) => to !== null && domainOf(to) === domainOf(run.recipients[0]!),
    );
    const allowed = run.cell === 'other' ? connections : 0;
    const verdict = judge({ recipients: run.recipients, events, unsent, progress, doubtMax: allowed });
    if (history !== null) verdict.breaches.push(history);
    const [own, foreign] = run.cell === 'home' ? [urls.home, urls.other] : [urls.other, urls.home];
    const counted = { own: await countRows(own, run), foreign: await countRows(foreign, run) };
    rows.push({ cell: run.cell, verdict, whileAway: whileAway[n]!, rows: counted });
  }
  return rows;
}

/** Makes an organization in a cell with people and a campaign to them, through one of the gateways. */
async function place(system: TestSystem, bus: Bus, cell: Cell, n: number): Promise<Placed> {
  const domain = bus.client(domainRequests);
  const nobody = serviceCaller('', 'rig');
  const asked = { name: `${cell} ${n}`, cell: cell === 'other' ? other : null };
  const { organization } = await domain.create_organization(asked, nobody);
  const { secret } = await domain.create_token({ organizationId: organization.id, name: 'rig' }, nobody);
  const client = new TidingsClient({ baseUrl: system.url(n % 2), token: secret, confirm: () => true });
  const people = Array.from({ length: recipients }, (_, i) => `person${i}@${cell}${n}.faults.internal`);
  for (let from = 0; from < recipients; from += 500) {
    const subscribers = people.slice(from, from + 500).map((email) => ({ email }));
    await client.tools.import_subscribers({ subscribers });
  }
  const content = 'Hello.\n\n[Unsubscribe]({{unsubscribeUrl}})';
  const { campaignId } = await client.tools.create_campaign({ subject: 'Hello', contentType: 'MARKDOWN', content });
  return { cell, client, organizationId: organization.id, campaignId, recipients: people };
}

const domainOf = (email: string): string => email.slice(email.indexOf('@') + 1);

const countRows = (url: string, { organizationId }: CampaignRun): Promise<number> =>
  withDatabaseAt(url, async (client) => {
    const tables = ['subscriber.subscriber', 'campaign.campaign', 'delivery.message'];
    const counts = tables.map((name) => `(select count(*) from ${name} where organization_id = $1)`);
    const { rows } = await client.query<{ n: number }>(`select (${counts.join(' + ')})::int as n`, [
      uuidOf('org', organizationId),
    ]);
    return rows[0]!.n;
  });

const breachesOf = ({ cell, verdict, whileAway, rows }: Row, n: number): string[] => [
  ...verdict.breaches.map((violation) => `organization ${n} (${cell}): ${violation}`),
  ...(rows.foreign > 0 ? [`organization ${n} (${cell}): ${rows.foreign} rows in the wrong database`] : []),
  ...(rows.own === 0 ? [`organization ${n} (${cell}): no rows in its database`] : []),
  ...(cell === 'home' && whileAway === 0
    ? [`organization ${n} stood still while the other cell's server was away`]
    : []),
];

export const cellsTable = ({ rows, seconds }: CellsResult): string =>
  [
    table(
      ['cell', 'accepted', 'duplicates', 'in doubt', 'lost', 'while it was away', 'rows there', 'rows elsewhere'],
      rows.map(({ cell, verdict, whileAway, rows: { own, foreign } }) => [
        cell,
        ...[verdict.accepted, verdict.duplicates, verdict.inDoubt, verdict.lost, whileAway, own, foreign].map(String),
      ]),
    ),
    `cells: two processes of everything, two PostgreSQL servers, of which that of \`other\` was killed and away for ${awayMs / 1000} s; ${seconds.toFixed(0)} s`,
  ].join('\n');
