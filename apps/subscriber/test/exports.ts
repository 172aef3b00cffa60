import { gunzipSync } from 'node:zlib';
import { subscriberLifeRequests } from '#contracts';
import { createLogger } from '#observability';
import { CallContexts, OrganizationSettingsCache } from '#service-host';
import type { Harness, Tenant } from '../../../test/harness/harness.js';
import { ExportWorker } from '../src/export/export.worker.js';
import { FilterEngine } from '../src/filter/filter-engine.service.js';
import { FilterTargetClient } from '../src/filter/filter-target.client.js';
import { FilterTargetRepository } from '../src/filter/filter-target.repository.js';

/** An export worker, as the service starts one. */
export function exportWorker(harness: Harness, pageSize?: number): ExportWorker {
  const dataSource = harness.dataSource('subscriber');
  const engine = new FilterEngine({
    targets: new FilterTargetRepository(dataSource.manager),
    owners: new FilterTargetClient(harness.bus),
    settings: new OrganizationSettingsCache(harness.bus),
  });
  const contexts = new CallContexts('subscriber', dataSource, () => undefined);
  return new ExportWorker(
    { dataSource, contexts, engine, bus: harness.bus, log: createLogger('spec', 'silent') },
    pageSize,
  );
}

/** The text of an export's file, assembled as the gateway does; null when there is none. */
export async function fileOf(harness: Harness, tenant: Tenant, exportId: string): Promise<string | null> {
  const life = harness.client(subscriberLifeRequests);
  const caller = harness.caller(tenant);
  const { file } = await life.find_export_file({ exportId }, caller);
  if (!file) return null;
  const pieces: Buffer[] = [];
  for (let chunk = 0; chunk < file.chunks; chunk++) {
    const { content } = await life.get_export_chunk({ exportId, chunk }, caller);
    pieces.push(Buffer.from(content!, 'base64'));
  }
  return gunzipSync(Buffer.concat(pieces)).toString();
}
