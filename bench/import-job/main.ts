import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { from as copyFrom } from 'pg-copy-streams';
import { importPieceBytes, importRequests, subscriberImportTools } from '#contracts';
import { newUuid } from '#database';
import { until } from '#testing';
import { report } from '../report.js';
import { Organization, timed } from '../subscribers/organization.js';

/** Subscribers before the first import. */
const before = 1_000;
const rowsPerPart = 20_000;
const jobMs = 3_600_000;

const { values } = parseArgs({ options: { size: { type: 'string', default: '1000000' } } });
const size = Number(values.size);
if (!Number.isInteger(size) || size < 10_000) throw new Error('--size takes a whole number from 10000 on.');

/** Texts of rows in parts, so that no run holds them all. */
function* parts(row: (n: number) => string): Generator<string> {
  for (let n = 0; n < size; n += rowsPerPart)
    yield Array.from({ length: Math.min(rowsPerPart, size - n) }, (_, at) => row(n + at)).join('');
}

/** Uploads a file of `size` rows. @returns the import's id */
async function upload(organization: Organization): Promise<string> {
  const tools = organization.bus.client(subscriberImportTools);
  const requests = organization.bus.client(importRequests);
  const importId = (await tools.create_subscriber_import({}, organization.caller())).import.id;
  let offset = 0;
  const send = async (bytes: Buffer, isLast: boolean) => {
    const input = { importId, offset, content: bytes.toString('base64'), isLast };
    offset = (await requests.add_import_bytes(input, organization.caller())).import.receivedBytes;
  };
  let open = Buffer.from('email,name,number\n');
  for (const text of parts((n) => `imported${n}@people.internal,Person ${n},${n % 100}\n`)) {
    open = Buffer.concat([open, Buffer.from(text)]);
    for (; open.length >= importPieceBytes; open = open.subarray(importPieceBytes))
      await send(open.subarray(0, importPieceBytes), false);
  }
  await send(open, true);
  return importId;
}

/** Waits until a check or a run has ended. */
async function ended(organization: Organization, importId: string, state: string): Promise<void> {
  const tools = organization.bus.client(subscriberImportTools);
  await until(
    `the import is ${state}`,
    async () => {
      const { import: now } = await tools.get_subscriber_import({ importId }, organization.caller());
      if (now.failure !== null) throw new Error(now.failure);
      if (now.state === 'DONE' && now.imported !== size) throw new Error(`${now.imported} of ${size} were imported`);
      return now.state === state;
    },
    jobMs,
  );
}

/** Rows a second of COPY of as many rows into the same table. */
async function copyRate({ sql, uuid, copied }: Organization, round: number): Promise<number> {
  const row = (n: number) => {
    const email = `copied${round}-${n}@people.internal`;
    return `${uuid}\t${newUuid()}\t${email}\t${email}\tPerson ${n}\tSUBSCRIBED\tnow\tf\tf\t{"${copied.fieldUuid}": "${n % 100}"}\tnow\n`;
  };
  const columns =
    'organization_id, subscriber_id, email, email_key, name, status, status_at, is_role, is_disposable, custom, updated_at';
  const ms = await timed(() =>
    pipeline(Readable.from(parts(row)), sql.query(copyFrom(`copy subscriber (${columns}) from stdin`))),
  );
  return (size / ms) * 1000;
}

const organization = await Organization.build({ size: before, events: 0 });
try {
  const { system } = organization;
  const tools = organization.bus.client(subscriberImportTools);
  const importId = await upload(organization);
  // A process that has done nothing else: what it holds is held for the import.
  await system.end(system.alive('subscriber')[0]!);
  const { pid } = (await system.add('subscriber')).child;
  const peakMb = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const checkMs = await timed(async () => {
    await tools.check_subscriber_import({ importId }, organization.caller());
    await ended(organization, importId, 'CHECKED');
  });
  const checkMb = peakMb();
  const copiedBefore = await copyRate(organization, 1);
  const runMs = await timed(async () => {
    await tools.start_subscriber_import({ importId }, organization.caller());
    await ended(organization, importId, 'DONE');
  });
  const runMb = peakMb();
  const copiedAfter = await copyRate(organization, 2);
  const imported = (size / runMs) * 1000;
  // The list grows by each, and its indexes with it.
  const copied = (copiedBefore + copiedAfter) / 2;
  report(
    `an import of ${size.toLocaleString('en')} rows as one job`,
    [
      { name: 'check', 'rows/s': (size / checkMs) * 1000, MB: checkMb },
      { name: 'run', 'rows/s': imported, MB: runMb },
      { name: 'COPY before, after', 'rows/s': copiedBefore, after: copiedAfter },
    ],
    [
      { name: 'run against COPY', value: imported / copied, bar: '>= 0.25' },
      { name: 'most memory, of 250 MB', value: runMb / 250, bar: '< 1' },
    ],
  );
} finally {
  await organization.leave();
}
