import { gunzipSync } from 'node:zlib';
import { importPieceBytes, importRequests, subscriberLifeRequests } from '#contracts';
import type { Data, subscriberImportTools } from '#contracts';
import { addressHasher } from '#link-token';
import { createLogger } from '#observability';
import { CallContexts, OrganizationSettingsCache } from '#service-host';
import type { Harness, Tenant } from '../../../test/harness/harness.js';
import { environmentFor } from '../../../test/harness/service-plans.js';
import { BatchPreparation } from '../src/import-job/batch-preparation.service.js';
import { ImportWorker } from '../src/import-job/import.worker.js';

export type ImportState = Data<(typeof subscriberImportTools)['calls']['get_subscriber_import']>['import'];

const preparation = new BatchPreparation(environmentFor('').IMPORT_THREAD_URL);

/** An import worker, as the service starts one. */
export function importWorker(harness: Harness): ImportWorker {
  const dataSource = harness.dataSource('subscriber');
  return new ImportWorker({
    dataSource,
    contexts: new CallContexts('subscriber', dataSource, () => undefined),
    settings: new OrganizationSettingsCache(harness.bus),
    hashAddress: addressHasher(environmentFor('').MASTER_KEY!),
    preparation,
    live: harness.bus.live,
    log: createLogger('spec', 'silent'),
  });
}

/** Works on every import that waits. */
export async function workOff(harness: Harness): Promise<void> {
  while (await importWorker(harness).workNext()) continue;
}

/** Creates an import and uploads its file as the gateway does. @returns its id */
export async function uploaded(
  harness: Harness,
  tenant: Tenant,
  file: string | Buffer,
  input: object = {},
): Promise<string> {
  const { import: created } = await harness.data<{ import: ImportState }>('create_subscriber_import', input, tenant);
  await upload(harness, tenant, created.id, file);
  return created.id;
}

/** Uploads the file of an import. */
export async function upload(harness: Harness, tenant: Tenant, importId: string, file: string | Buffer): Promise<void> {
  const imports = harness.client(importRequests);
  const bytes = Buffer.from(file);
  for (let offset = 0; offset < bytes.length; offset += importPieceBytes) {
    const content = bytes.subarray(offset, offset + importPieceBytes).toString('base64');
    await imports.add_import_bytes({ importId, offset, content, isLast: false }, harness.caller(tenant));
  }
  const end = { importId, offset: bytes.length, content: '', isLast: true };
  await imports.add_import_bytes(end, harness.caller(tenant));
}

/** The state of an import. */
export async function importOf(harness: Harness, tenant: Tenant, importId: string): Promise<ImportState> {
  return (await harness.data<{ import: ImportState }>('get_subscriber_import', { importId }, tenant)).import;
}

/** Checks an import to its end. */
export async function checked(
  harness: Harness,
  tenant: Tenant,
  importId: string,
  input: object = {},
): Promise<ImportState> {
  await harness.data('check_subscriber_import', { importId, ...input }, tenant);
  await workOff(harness);
  return await importOf(harness, tenant, importId);
}

/** Runs an import to its end. */
export async function imported(
  harness: Harness,
  tenant: Tenant,
  importId: string,
  input: object = {},
): Promise<ImportState> {
  await harness.data('start_subscriber_import', { importId, ...input }, tenant);
  await workOff(harness);
  return await importOf(harness, tenant, importId);
}

/** The refused rows of an import as records of text; the first is the header. */
export async function errorsOf(harness: Harness, tenant: Tenant, importId: string): Promise<string[]> {
  const life = harness.client(subscriberLifeRequests);
  const caller = harness.caller(tenant);
  const { file } = await life.find_export_file({ exportId: importId }, caller);
  if (!file) return [];
  const chunks: Buffer[] = [];
  for (let chunk = 0; chunk < file.chunks; chunk++) {
    const { content } = await life.get_export_chunk({ exportId: importId, chunk }, caller);
    chunks.push(Buffer.from(content!, 'base64'));
  }
  return gunzipSync(Buffer.concat(chunks)).toString().split('\r\n').slice(0, -1);
}
