import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { subscriberImportTools } from '#contracts';
import { csvParts, ended, upload } from '../import-job/import-file.js';
import { median } from '../report.js';
import { Organization, timed } from '../subscribers/organization.js';
import type { Listmonk } from './listmonk.js';

const queries = 5;

export interface Imported {
  rowsPerSecond: number;
  /** Milliseconds (median) to count the subscribers with one value in a custom field. */
  queryMs: number;
}

const medianOf = async (work: () => Promise<unknown>): Promise<number> => {
  const taken: number[] = [];
  for (let n = 0; n < queries; n++) taken.push(await timed(work));
  return median(taken);
};

/** Uploads, checks and imports a CSV into a new organization. */
export async function importIntoTidings(rows: number): Promise<Imported> {
  const organization = await Organization.build({ size: 1_000, events: 0 });
  try {
    const tools = organization.bus.client(subscriberImportTools);
    const ms = await timed(async () => {
      const importId = await upload(organization, rows);
      await tools.check_subscriber_import({ importId }, organization.caller());
      await ended(organization, importId, { state: 'CHECKED', size: rows });
      await tools.start_subscriber_import({ importId }, organization.caller());
      await ended(organization, importId, { state: 'DONE', size: rows });
    });
    const filters = [{ type: 'FIELD', fieldName: 'number', operator: 'EQUALS', value: '42' }];
    const queryMs = await medianOf(() => organization.query.count_subscribers({ filters }, organization.caller()));
    return { rowsPerSecond: (rows * 1000) / ms, queryMs };
  } finally {
    await organization.leave();
  }
}

/** Imports a CSV of as many rows into an empty listmonk, which runs. */
export async function importIntoListmonk(listmonk: Listmonk, rows: number, withinMs: number): Promise<Imported> {
  const folder = mkdtempSync(join(tmpdir(), 'versus-listmonk-import-'));
  try {
    const file = join(folder, 'people.csv');
    const row = (n: number): string => `imported${n}@people.internal,Person ${n},"{""number"": ""${n % 100}""}"\n`;
    await pipeline(Readable.from(withHead('email,name,attributes\n', csvParts(rows, row))), createWriteStream(file));
    const ms = await timed(() => listmonk.import(file, rows, withinMs));
    await listmonk.sql.query('vacuum analyze subscribers, subscriber_lists');
    return { rowsPerSecond: (rows * 1000) / ms, queryMs: await medianOf(() => listmonk.query()) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function* withHead(head: string, parts: Iterable<string>): Generator<string> {
  yield head;
  yield* parts;
}
