import { approvalRequests } from '#contracts';
import type { Approval } from '#contracts';
import { implement } from '#tool-call';
import { endOf } from './approval.js';
import type { StoredApproval } from './approval.js';
import type { ApprovalDependencies } from './approval.service.js';
import { ApprovalService } from './approval.service.js';

const sentApproval = (approval: StoredApproval, callId: string | null = null): Approval => ({
  id: approval.id,
  organizationId: approval.organizationId,
  tokenId: approval.asker.id,
  tokenName: approval.asker.name,
  tool: approval.tool,
  action: approval.action,
  message: approval.message,
  state: approval.state,
  askedAt: approval.askedAt.toISOString(),
  decidedAt: approval.decidedAt?.toISOString() ?? null,
  expiresAt: (approval.state === 'EXECUTING' ? approval.expiresAt : endOf(approval, callId)).toISOString(),
  note: approval.note,
});

export const implementApprovalRequests = (dependencies: ApprovalDependencies) => {
  const service = new ApprovalService(dependencies);
  return implement(approvalRequests, {
    find_approval: async (call, { organizationId, now }) => {
      const approval = await service.find(organizationId, call, now);
      return { approval: approval && sentApproval(approval, call.callId), outcome: approval?.outcome ?? undefined };
    },

    ask_approval: async ({ actor, requestHash, callId, ...asked }, { organizationId, now }) => {
      const call = { actor, requestHash, callId };
      const described = { ...asked, subject: asked.subject ?? undefined, preview: asked.preview ?? undefined };
      return { approval: sentApproval(await service.ask(organizationId, call, described, { now })) };
    },

    ask_approval_again: async ({ approvalId, tool, parameters, since }, caller) => {
      const asked = { tool, parameters, since: new Date(since) };
      return { approval: sentApproval(await service.askAgain(approvalId, asked, caller)) };
    },
  });
};
