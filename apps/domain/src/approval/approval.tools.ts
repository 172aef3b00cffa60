import type { approvalTools, Data } from '#contracts';
import { permits } from '#contracts';
import { ToolError } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import type { StoredApproval } from './approval.js';
import { ApprovalService, assertCovers } from './approval.service.js';
import type { ApprovalDependencies } from './approval.service.js';

type Listed = Data<(typeof approvalTools)['calls']['list_approvals']>['approvals'][number];
type Whole = Data<(typeof approvalTools)['calls']['get_approval']>['approval'];

const listed = ({ id, state, tool, message, subject, asker, askedAt, expiresAt }: StoredApproval): Listed => ({
  id,
  state,
  tool,
  message,
  subject,
  asker,
  askedAt: askedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

/** Only approvers, admins and the asker see more than the sentence. */
const seesContent = ({ asker }: StoredApproval, { actor, scopes }: Caller): boolean =>
  actor?.id === asker.id || permits(scopes, 'approve') || permits(scopes, 'admin');

function whole(approval: StoredApproval, caller: Caller, stale: boolean | null = null): Whole {
  const seesAll = seesContent(approval, caller);
  const { parameters, facts, preview, diff } = approval.content;
  const { outcome, contentHash, decidedAt, decidedBy, note, action } = approval;
  return {
    ...listed(approval),
    action,
    parameters: seesAll ? parameters : null,
    facts: seesAll ? facts : [],
    preview: seesAll ? preview : null,
    diff: seesAll ? diff : [],
    contentHash,
    stale,
    decidedAt: decidedAt?.toISOString() ?? null,
    decidedBy: decidedBy?.name ?? null,
    note,
    result: seesAll && outcome ? resultOf(outcome) : undefined,
  };
}

const resultOf = (outcome: NonNullable<StoredApproval['outcome']>): unknown =>
  outcome.ok ? outcome.data : outcome.error;

export const approvalToolHandlers = (dependencies: ApprovalDependencies): Handlers<typeof approvalTools> => {
  const service = new ApprovalService(dependencies);
  const { approvals, organizations, tokens } = dependencies.repositories;
  const get = async (approvalId: string, { organizationId }: Caller): Promise<StoredApproval> => {
    const approval = await approvals.findById(approvalId);
    if (approval?.organizationId !== organizationId) throw new ToolError('APPROVAL_NOT_FOUND', { id: approvalId });
    return approval;
  };
  /** Whether the caller asked, or a token whose secret the caller had. */
  const isOwn = async ({ asker }: StoredApproval, { actor }: Caller): Promise<boolean> =>
    actor?.kind === 'USER' &&
    (asker.kind === 'TOKEN' ? await tokens.hadSecret(asker.id, actor.id) : actor.id === asker.id);
  return {
    list_approvals: async ({ states = [], mine, cursor = null, limit }, caller) => {
      const asker = mine ? (caller.actor ?? null) : null;
      const page = await approvals.list(caller.organizationId, { states, asker, before: cursor, limit: limit + 1 });
      const { organization } = await approvals.countPending(caller.organizationId, {
        actor: caller.actor ?? { kind: 'TOKEN', id: '' },
      });
      const nextCursor = page.length > limit ? page[limit - 1]!.id : null;
      return { approvals: page.slice(0, limit).map(listed), pending: organization, nextCursor };
    },

    get_approval: async ({ approvalId }, caller) => {
      const approval = await get(approvalId, caller);
      const stale = seesContent(approval, caller) ? await service.isStale(approval) : null;
      return { approval: whole(approval, caller, stale) };
    },

    decide_approval: async ({ approvalId, approved, seen, note }, caller) => {
      const approval = await get(approvalId, caller);
      const decider = { userId: caller.actor?.kind === 'USER' ? caller.actor.id : null, scopes: caller.scopes };
      assertCovers(decider, approval);
      if (!approved) return { approval: whole(await service.reject(approvalId, decider, note), caller) };
      if (seen === undefined) throw seenMissing();
      const { approvals: policy } = await organizations.getSettings(caller.organizationId);
      if (policy === 'ALL' && (await isOwn(approval, caller))) throw new ToolError('APPROVAL_OWN', {});
      const done = await service.approve(approval, decider, seen, note);
      return { approval: whole(done, caller), result: done.outcome ? resultOf(done.outcome) : undefined };
    },

    withdraw_approval: async ({ approvalId }, caller) => {
      await service.withdraw(approvalId, caller);
      return { withdrawn: true };
    },
  };
};

const seenMissing = () =>
  new ToolError(
    'PARAMETERS_INVALID',
    { summary: 'seen: is required to approve.' },
    { issues: [{ path: ['seen'], message: 'is required to approve: the contentHash that get_approval returned' }] },
  );
