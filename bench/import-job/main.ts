import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { from as copyFrom } from 'pg-copy-streams';
import { subscriberImportTools } from '#contracts';
import { newUuid } from '#database';
import { report } from '../report.js';
import { csvParts, ended, upload } from './import-file.js';
import { Organization, timed } from '../subscribers/organization.js';

/** Subscribers before the first import. */
const before = 1_000;

const { values } = parseArgs({ options: { size: { type: 'string', default: '1000000' } } });
const size = Number(values.size);
if (!Number.isInteger(size) || size < 10_000) throw new Error('--size takes a whole number from 10000 on.');

/** Rows a second of COPY of as many rows into the same table. */
async function copyRate({ sql, uuid, copied }: Organization, round: number): Promise<number> {
  const row = (n: number) => {
    const email = `copied${round}-${n}@people.internal`;
    return `${uuid}\t${newUuid()}\t${email}\t${email}\tPerson ${n}\tSUBSCRIBED\tnow\tf\tf\t{"${copied.fieldUuid}": "${n % 100}"}\tnow\n`;
  };
  const columns =
    'organization_id, subscriber_id, email, email_key, name, status, status_at, is_role, is_disposable, custom, updated_at';
  const ms = await timed(() =>
    pipeline(Readable.from(csvParts(size, row)), sql.query(copyFrom(`copy subscriber (${columns}) from stdin`))),
  );
  return (size / ms) * 1000;
}

const organization = await Organization.build({ size: before, events: 0 });
try {
  const { system } = organization;
  const tools = organization.bus.client(subscriberImportTools);
  const importId = await upload(organization, size);
  // A process that has done nothing else: what it holds is held for the import.
  await system.end(system.alive('subscriber')[0]!);
  const { pid } = (await system.add('subscriber')).child;
  const peakMb = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const checkMs = await timed(async () => {
    await tools.check_subscriber_import({ importId }, organization.caller());
    await ended(organization, importId, { state: 'CHECKED', size });
  });
  const checkMb = peakMb();
  const copiedBefore = await copyRate(organization, 1);
  const runMs = await timed(async () => {
    await tools.start_subscriber_import({ importId }, organization.caller());
    await ended(organization, importId, { state: 'DONE', size });
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
