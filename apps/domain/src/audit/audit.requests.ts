import { auditRequests } from '#contracts';
import { implement } from '#tool-call';
import type { Repositories } from '../repositories.js';

export const implementAuditRequests = ({ audit, organizations }: Pick<Repositories, 'audit' | 'organizations'>) =>
  implement(auditRequests, {
    record_audit: async ({ entries }) => {
      await audit.insert(entries);
      return {};
    },

    list_audit: async (asked) => {
      const { id } = await organizations.get(asked.organizationId);
      return { entries: await audit.list({ ...asked, organizationId: id }) };
    },
  });
