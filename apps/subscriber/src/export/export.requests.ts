import type { subscriberLifeRequests } from '#contracts';
import type { CallContext } from '#service-host';
import type { Handlers } from '#tool-call';
import { ImportRepository } from '../import-job/import.repository.js';
import { ExportRepository } from './export.repository.js';

type FileHandlers = Pick<Handlers<typeof subscriberLifeRequests>, 'find_export_file' | 'get_export_chunk'>;

const isImport = (id: string): boolean => id.startsWith('imp_');

export function exportFileHandlers({ manager }: CallContext): FileHandlers {
  const exports = new ExportRepository(manager);
  const imports = new ImportRepository(manager);
  return {
    find_export_file: async ({ exportId }, { organizationId }) => {
      const file = isImport(exportId)
        ? await imports.findErrorFile(organizationId, exportId)
        : await exports.findFile(organizationId, exportId);
      if (!file) return { file: null };
      const { createdAt, chunks, bytes } = file;
      const day = createdAt.toISOString().slice(0, 10);
      const isOfSubscriber = 'ofSubscriber' in file && file.ofSubscriber;
      const noun = isImport(exportId) ? 'refused' : 'subscribers';
      return { file: { name: isOfSubscriber ? `subscriber-data-${day}.json` : `${noun}-${day}.csv`, chunks, bytes } };
    },

    get_export_chunk: async ({ exportId, chunk }, { organizationId }) => {
      const found = isImport(exportId)
        ? await imports.findErrorChunk(organizationId, exportId, chunk)
        : await exports.findChunk(organizationId, exportId, chunk);
      return { content: found?.toString('base64') ?? null };
    },
  };
}
