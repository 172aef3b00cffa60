import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { exportTools } from '#contracts';
import { newUuid } from '#database';
import { until } from '#testing';
import { median } from '../report.js';
import { timed } from './organization.js';
import type { Organization } from './organization.js';

const rounds = 5;
const callsEach = 40;
const rowsACall = 500;
/** Concurrent calls. */
const atOnce = 4;

/** Rows a second (median) of import_subscribers with a name and a field, and of COPY into the same table. */
export async function measureImport(organization: Organization): Promise<{ imported: number; copied: number }> {
  const [imported, copied]: [number[], number[]] = [[], []];
  const rows = callsEach * rowsACall;
  for (let round = 0; round <= rounds; round++) {
    const [importMs, copyMs] = [
      await timed(() => importRows(organization, round)),
      await timed(() => copyRows(organization, round)),
    ];
    if (round === 0) continue;
    imported.push((rows / importMs) * 1000);
    copied.push((rows / copyMs) * 1000);
  }
  return { imported: median(imported), copied: median(copied) };
}

async function importRows(organization: Organization, round: number): Promise<void> {
  const calls = Array.from({ length: callsEach }, (_, call) =>
    Array.from({ length: rowsACall }, (_row, n) => ({
      email: `imported${round}-${call * rowsACall + n}@people.internal`,
      name: `Person ${n}`,
      fields: { number: n % 100 },
    })),
  );
  const work = async () => {
    for (let subscribers = calls.pop(); subscribers; subscribers = calls.pop()) {
      const { imported } = await organization.transfer.import_subscribers({ subscribers }, organization.caller());
      if (imported !== rowsACall) throw new Error(`${imported} of ${rowsACall} rows were imported`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function copyRows({ sql, uuid, copied }: Organization, round: number): Promise<void> {
  let text = '';
  for (let n = 0; n < callsEach * rowsACall; n++) {
    const email = `copied${round}-${n}@people.internal`;
    text += `${uuid}\t${newUuid()}\t${email}\t${email}\tPerson ${n}\tSUBSCRIBED\tnow\tf\tf\t{"${copied.fieldUuid}": "${n % 100}"}\tnow\n`;
  }
  const into = copyFrom(
    `copy subscriber (organization_id, subscriber_id, email, email_key, name, status, status_at, is_role, is_disposable, custom, updated_at) from stdin`,
  );
  await pipeline(Readable.from([text]), sql.query(into));
}

/** Rows a second of a durable export of the whole list, and the most memory (MB resident) of the service during it. */
export async function measureExport(organization: Organization): Promise<{ rate: number; peakMb: number }> {
  const { system } = organization;
  const tools = organization.bus.client(exportTools);
  // A process that has done nothing else: what it holds is held for the export.
  await system.end(system.alive('subscriber')[0]!);
  const { pid } = (await system.add('subscriber')).child;
  let rows = 0;
  const ms = await timed(async () => {
    const { exportId } = await tools.create_subscriber_export({}, organization.caller());
    await until(
      'the export is DONE',
      async () => {
        const state = await tools.get_subscriber_export({ exportId }, organization.caller());
        if (state.status === 'FAILED') throw new Error(state.failure);
        rows = state.rows;
        return state.status === 'DONE';
      },
      600_000,
    );
  });
  const peakKb = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { rate: (rows / ms) * 1000, peakMb: Number(peakKb) / 1024 };
}
