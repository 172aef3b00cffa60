import { importPieceBytes, importRequests, subscriberImportTools } from '#contracts';
import { until } from '#testing';
import type { Organization } from '../subscribers/organization.js';

const rowsPerPart = 20_000;
const jobMs = 3_600_000;
const csvHead = 'email,name,number\n';
const csvRow = (n: number): string => `imported${n}@people.internal,Person ${n},${n % 100}\n`;

/** Texts of rows in parts, so that no run holds them all. */
export function* csvParts(size: number, row: (n: number) => string): Generator<string> {
  for (let n = 0; n < size; n += rowsPerPart)
    yield Array.from({ length: Math.min(rowsPerPart, size - n) }, (_, at) => row(n + at)).join('');
}

/** Uploads a file of `size` rows. @returns the import's id */
export async function upload(organization: Organization, size: number): Promise<string> {
  const tools = organization.bus.client(subscriberImportTools);
  const requests = organization.bus.client(importRequests);
  const importId = (await tools.create_subscriber_import({}, organization.caller())).import.id;
  let offset = 0;
  const send = async (bytes: Buffer, isLast: boolean) => {
    const input = { importId, offset, content: bytes.toString('base64'), isLast };
    offset = (await requests.add_import_bytes(input, organization.caller())).import.receivedBytes;
  };
  let open = Buffer.from(csvHead);
  for (const text of csvParts(size, csvRow)) {
    open = Buffer.concat([open, Buffer.from(text)]);
    for (; open.length >= importPieceBytes; open = open.subarray(importPieceBytes))
      await send(open.subarray(0, importPieceBytes), false);
  }
  await send(open, true);
  return importId;
}

/** Waits until a check or a run has ended. */
export async function ended(
  organization: Organization,
  importId: string,
  { state, size }: { state: string; size: number },
): Promise<void> {
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
