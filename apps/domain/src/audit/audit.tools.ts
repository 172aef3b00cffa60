import type { accessTools } from '#contracts';
import { uuidOf } from '#database';
import type { ExportTokens } from '#link-token';
import { summarise, ToolError } from '#tool-call';
import type { Handlers } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';

const linkMs = 15 * 60_000;

interface Dependencies {
  repositories: Pick<Repositories, 'audit'>;
  inTransaction: InTransaction;
  exportTokens: ExportTokens;
  publicUrl: string;
}

export const auditToolHandlers = ({
  repositories: { audit },
  inTransaction,
  exportTokens,
  publicUrl,
}: Dependencies): Pick<Handlers<typeof accessTools>, 'list_audit_entries' | 'export_audit_log'> => ({
  list_audit_entries: async ({ limit, cursor, ...filter }, { organizationId }) => {
    if (cursor !== undefined && uuidOf('adt', cursor) === null) throw cursorInvalid();
    const found = await audit.list(organizationId, filter, { before: cursor ?? null, limit: limit + 1 });
    const entries = found.slice(0, limit);
    return { entries, nextCursor: found.length > limit ? entries.at(-1)!.id : null };
  },

  export_audit_log: async ({ format, ...filter }, { organizationId, now }) => {
    const { id } = await inTransaction(({ auditExports }) => auditExports.insert(organizationId, format, filter));
    const expiresAt = new Date(Math.floor((now.getTime() + linkMs) / 1000) * 1000);
    const token = exportTokens.seal({ organizationId, exportId: id, expiresAt });
    return { downloadUrl: `${publicUrl}/d/${token}`, expiresAt: expiresAt.toISOString() };
  },
});

function cursorInvalid(): ToolError {
  const issues = [{ path: ['cursor'], message: 'must be the nextCursor of the page before' }];
  return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
