import type { subscriberLifeRequests } from '#contracts';
import type { CallContext } from '#service-host';
import type { Handlers } from '#tool-call';
import { ExportRepository } from './export.repository.js';

type FileHandlers = Pick<Handlers<typeof subscriberLifeRequests>, 'find_export_file' | 'get_export_chunk'>;

/** The files of exports, as the gateway asks for them. */
export function exportFileHandlers({ manager }: CallContext): FileHandlers {
  const exports = new ExportRepository(manager);
  return {
    find_export_file: async ({ exportId }, { organizationId }) => {
      const file = await exports.findFile(organizationId, exportId);
      if (!file) return { file: null };
      const { createdAt, ofSubscriber, chunks, bytes } = file;
      const day = createdAt.toISOString().slice(0, 10);
      const name = ofSubscriber ? `subscriber-data-${day}.json` : `subscribers-${day}.csv`;
      return { file: { name, chunks, bytes } };
    },

    get_export_chunk: async ({ exportId, chunk }, { organizationId }) => ({
      content: (await exports.findChunk(organizationId, exportId, chunk))?.toString('base64') ?? null,
    }),
  };
}
