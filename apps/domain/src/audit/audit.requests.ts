import { auditRequests } from '#contracts';
import { implement } from '#tool-call';
import type { Repositories } from '../repositories.js';
import { auditFileName, auditText } from './audit-file.js';
import type { AuditFilter } from './audit.js';

const partRows = 1_000;

export const implementAuditRequests = ({ audit, auditExports }: Pick<Repositories, 'audit' | 'auditExports'>) =>
  implement(auditRequests, {
    record_audit: async ({ entries }) => {
      await audit.insert(entries);
      return {};
    },

    read_audit_export: async ({ exportId, after }, { organizationId }) => {
      const asked = await auditExports.find(organizationId, exportId);
      if (!asked) return { part: null };
      const entries = await audit.list(organizationId, upTo(asked.filter, asked.createdAt), {
        before: after,
        limit: partRows + 1,
      });
      const rows = entries.slice(0, partRows);
      const isLast = entries.length <= partRows;
      const text = auditText(asked, rows, { isFirst: after === null, isLast });
      return { part: { name: auditFileName(asked), text, next: isLast ? null : rows.at(-1)!.id } };
    },
  });

/** Entries that are written while a file is read are not in it. */
function upTo(filter: AuditFilter, createdAt: Date): AuditFilter {
  const end = createdAt.toISOString();
  return { ...filter, until: filter.until !== undefined && filter.until < end ? filter.until : end };
}
