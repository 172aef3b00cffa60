import { serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { approvalRequests } from '#contracts';
import type { ApprovableCall, Approvals } from './tool-calls.js';

const askMs = 5_000;

/** Approvals, stored by the domain service. */
export function approvalsOn(bus: Pick<Bus, 'client'>): Approvals {
  const domain = bus.client(approvalRequests);
  const caller = ({ token, requestId }: ApprovableCall) => serviceCaller(token.organizationId, requestId, askMs);
  const named = ({ token: { tokenId }, requestHash }: ApprovableCall) => ({ tokenId, requestHash });
  return {
    find: async (call) => (await domain.find_approval(named(call), caller(call))).approval,
    ask: async ({ tool, action, message, ...call }) => {
      return (await domain.ask_approval({ ...named(call), tool, action, message }, caller(call))).approval;
    },
  };
}
