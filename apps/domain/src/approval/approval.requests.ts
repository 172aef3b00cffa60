import { approvalRequests } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { Repositories } from '../repositories.js';
import { isLive } from './approval.js';

export const implementApprovalRequests = ({ approvals }: Pick<Repositories, 'approvals'>) =>
  implement(approvalRequests, {
    find_approval: async (call, { organizationId, now }) => {
      const newest = await approvals.findNewest({ organizationId, ...call });
      return { approval: newest && isLive(newest, now) ? newest : null };
    },

    ask_approval: async ({ tokenId, requestHash, ...asked }, { organizationId, now }) => {
      const call = { organizationId, tokenId, requestHash };
      await approvals.lock(call);
      const newest = await approvals.findNewest(call);
      return { approval: newest && isLive(newest, now) ? newest : await approvals.insert(call, asked) };
    },

    list_approvals: async ({ organizationId = null }) => ({ approvals: await approvals.listOpen(organizationId) }),

    decide_approval: async ({ approvalId, approved }, { now }) => {
      const decided = await approvals.updateDecided(approvalId, approved, now);
      const approval = await approvals.findById(approvalId);
      if (!approval) throw new ToolError('APPROVAL_NOT_FOUND', { id: approvalId });
      if (!decided) throw new ToolError('APPROVAL_DECIDED', { state: approval.state, expiresAt: approval.expiresAt });
      return { approval };
    },
  });
