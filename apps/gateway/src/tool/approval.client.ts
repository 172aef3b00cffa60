import { serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { approvalRequests } from '#contracts';
import type { Outcome } from '#tool-call';
import type { ApprovableCall, Approvals } from './tool-calls.js';

const askMs = 5_000;

export function approvalsOn(bus: Pick<Bus, 'client'>): Approvals {
  const domain = bus.client(approvalRequests);
  const caller = ({ token, requestId }: ApprovableCall) => serviceCaller(token.organizationId, requestId, askMs);
  const named = ({ token: { actor }, requestHash, callId }: ApprovableCall) => ({
    actor: { kind: actor.kind === 'USER' ? ('USER' as const) : ('TOKEN' as const), id: actor.id },
    requestHash,
    callId,
  });
  return {
    find: async (call) => {
      const { approval, outcome } = await domain.find_approval(named(call), caller(call));
      return approval && { approval, outcome: (outcome as Outcome | undefined) ?? null };
    },
    ask: async ({ token, requestId, requestHash, callId, ...asked }) => {
      const call = { token, requestId, requestHash, callId };
      return (await domain.ask_approval({ ...named(call), ...asked }, caller(call))).approval;
    },
  };
}
