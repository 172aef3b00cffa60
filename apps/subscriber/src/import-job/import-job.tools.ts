import { subscriberImportTools } from '#contracts';
import type { CallContext } from '#service-host';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
import type { PublicLinks } from '../link/public-links.service.js';
import { ImportJobService } from './import-job.service.js';
import { importView } from './import-view.service.js';
import { ImportRepository } from './import.repository.js';
import type { ImportRecord } from './import.repository.js';

export function implementSubscriberImportTools({ manager }: CallContext, { links }: { links: PublicLinks }) {
  const jobs = new ImportJobService(manager);
  const shown = (record: ImportRecord, { organizationId }: Caller) => importView(record, organizationId, links);

  return implement(
    subscriberImportTools,
    {
      create_subscriber_import: async (args, caller) => {
        const record = await jobs.create(args, caller);
        return { import: shown(record, caller), uploadUrl: links.uploadUrl(record.id) };
      },

      add_rows_to_subscriber_import: async (args, caller) => ({
        import: shown(await jobs.addRows(args, caller), caller),
      }),

      check_subscriber_import: async (args, caller) => ({ import: shown(await jobs.check(args, caller), caller) }),

      start_subscriber_import: async (args, caller) => ({ import: shown(await jobs.start(args, caller), caller) }),

      get_subscriber_import: async ({ importId }, caller) => {
        const record = await jobs.get(caller.organizationId, importId);
        const head = await jobs.head(caller.organizationId, record);
        return { import: { ...shown(record, caller), check: record.checked, ...(head && { head }) } };
      },

      list_subscriber_imports: async ({ limit, cursor = null }, caller) => {
        const page = await new ImportRepository(manager).list(caller.organizationId, { after: cursor, limit });
        return {
          imports: page.imports.map((record) => shown(record, caller)),
          nextCursor: page.more ? page.imports.at(-1)!.id : null,
        };
      },

      cancel_subscriber_import: async ({ importId }, caller) => ({
        import: shown(await jobs.cancel(importId, caller), caller),
      }),
    },
    { start_subscriber_import: (args, caller) => jobs.describeStart(args, caller) },
  );
}
