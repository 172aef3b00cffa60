import { importPieceBytes, importRequests } from '#contracts';
import type { CallContext } from '#service-host';
import { implement } from '#tool-call';
import type { PublicLinks } from '../link/public-links.service.js';
import { ImportJobService } from './import-job.service.js';
import { importView } from './import-view.service.js';

export function implementImportRequests({ manager }: CallContext, { links }: { links: PublicLinks }) {
  const jobs = new ImportJobService(manager);
  return implement(importRequests, {
    add_import_bytes: async ({ content, ...place }, { organizationId }) => {
      const bytes = Buffer.from(content, 'base64');
      if (bytes.length > importPieceBytes) throw new Error(`a piece has ${bytes.length} bytes`);
      return { import: importView(await jobs.addBytes(organizationId, { ...place, bytes }), organizationId, links) };
    },
  });
}
