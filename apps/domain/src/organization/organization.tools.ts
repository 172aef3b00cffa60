import { deliveryRequests, isAtLeast, organizationTools, subscriberRequests } from '#contracts';
import type { Data, Quotas } from '#contracts';
import { assertFresh, implement, RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { assertOperator, roleOf } from '../member/caller-role.js';
import type { Repositories, ToolHandlers } from '../repositories.js';
import { organizationRequestHandlers } from './organization.requests.js';
import type { OrganizationRequestDependencies } from './organization.requests.js';
import { updateOrganization } from './update-organization.service.js';
import type { UpdateDependencies } from './update-organization.service.js';
import { assertApprovers, publicOrganization, ratePerMinuteOf } from './organization.js';
import type { Organization } from './organization.js';
import type { Plan } from './plan.repository.js';

export const organizationToolHandlers = (parts: UpdateDependencies): ToolHandlers<'update_organization_settings'> => ({
  update_organization_settings: async (change, { organizationId }) => {
    if (change.name === undefined && change.timezone === undefined) throw new ToolError('NOTHING_TO_CHANGE', {});
    return { organization: publicOrganization(await updateOrganization(parts, organizationId, change)) };
  },
});

type Details = Data<(typeof organizationTools)['calls']['get_organization']>;

export function implementOrganizationTools(parts: OrganizationRequestDependencies & { repositories: Repositories }) {
  const { repositories } = parts;
  const operator = organizationRequestHandlers(parts);

  return implement(organizationTools, {
    get_organization: (_args, caller) => detailsOf(parts, caller),

    update_organization: async (change, caller) => {
      const { organizationId } = caller;
      const { requireSecondFactor } = change;
      if (Object.values(change).every((value) => value === undefined)) throw new ToolError('NOTHING_TO_CHANGE', {});
      if (change.approvals !== undefined || requireSecondFactor !== undefined) await assertOwner(repositories, caller);
      await updateOrganization(parts, organizationId, change, async ({ organizations, members, factors }) => {
        await members.lock(organizationId);
        assertFresh(caller.ifMatch, (await organizations.lock(organizationId)).updatedAt);
        if (requireSecondFactor === true) await assertOwnFactor(factors, caller);
        if (change.approvals === 'ALL') assertApprovers((await members.count(organizationId)).approvers);
      });
      return await detailsOf(parts, caller);
    },

    list_organizations: async (args, caller) => {
      await assertOperator(repositories, caller, 'list_organizations');
      const { organizations } = await operator.list_organizations(args, caller);
      return { organizations: organizations.map((one) => hosted(one)) };
    },

    create_organization: async (args, caller) => {
      await assertOperator(repositories, caller, 'create_organization');
      const { organization, sender } = await operator.create_organization(args, caller);
      return { organization: hosted(organization), sender };
    },

    set_organization_plan: async ({ organizationId, customFieldsMax, ...change }, caller) => {
      await assertOperator(repositories, caller, 'set_organization_plan');
      const isPlanKept = Object.values(change).every((value) => value === undefined);
      if (isPlanKept && customFieldsMax === undefined) throw new ToolError('NOTHING_TO_CHANGE', {});
      const organization = isPlanKept
        ? await repositories.organizations.get(organizationId)
        : await updateOrganization(parts, organizationId, change);
      const { set_custom_field_limit } = parts.bus.client(subscriberRequests);
      const customFields =
        customFieldsMax === undefined
          ? null
          : // Without the operator's idempotency key, which the other organization may use too.
            await set_custom_field_limit({ limit: customFieldsMax }, { ...caller, organizationId, callId: null });
      return { organization: hosted(organization), customFields };
    },

    list_plans: async (_args, caller) => {
      await assertOperator(repositories, caller, 'list_plans');
      return { plans: (await repositories.plans.list()).map(planFacts) };
    },

    set_plan_quotas: async ({ plan, quotas }, caller) => {
      await assertOperator(repositories, caller, 'set_plan_quotas');
      if (Object.keys(quotas).length === 0) throw new ToolError('NOTHING_TO_CHANGE', {});
      const changed = await repositories.plans.update(plan, quotas);
      for (const { id, plan: held } of await repositories.organizations.list())
        if (held === plan) parts.bus.broadcast('organization.changed', { organizationId: id });
      return { plan: planFacts(changed) };
    },
  });
}

type DetailsDependencies = Pick<UpdateDependencies, 'bus'> & { repositories: Repositories };

async function detailsOf(parts: DetailsDependencies, caller: Caller): Promise<Details> {
  const { organizations } = parts.repositories;
  const organization = await organizations.get(caller.organizationId);
  const settings = await organizations.getSettings(caller.organizationId);
  const { number, currency, tracking, plan, quotas } = organization;
  return {
    organization: {
      ...publicOrganization(organization),
      ...settings,
      number,
      currency,
      trackOpens: tracking.opens,
      trackClicks: tracking.clicks,
    },
    plan,
    quotas,
    usage: await usageOf(parts, caller),
  };
}

async function usageOf({ repositories, bus }: DetailsDependencies, caller: Caller): Promise<Quotas> {
  const [contacts, mailsPerMonth, domains] = await Promise.all([
    known(async () => (await bus.client(subscriberRequests).count_contacts({}, caller)).contacts),
    known(async () => (await bus.client(deliveryRequests).count_mails({}, caller)).mails),
    repositories.domains.count(caller.organizationId),
  ]);
  return { contacts, mailsPerMonth, domains };
}

const planFacts = (one: Plan) => ({ ...one, ratePerMinute: ratePerMinuteOf(one.plan, null) });

const hosted = (organization: Organization) => {
  const { number, ratePerMinute, currency, quotas, cell } = organization;
  return { ...publicOrganization(organization), number, ratePerMinute, currency, quotas, cell };
};

async function assertOwner(repositories: Repositories, caller: Caller): Promise<void> {
  const role = await roleOf(repositories, caller);
  if (!isAtLeast(role, 'owner'))
    throw new ToolError('ROLE_TOO_LOW', { call: 'A change of this setting', role, needed: 'the role owner' });
}

/** The owner who turns the duty on must be able to go on. The operator's command signs in without factors. */
async function assertOwnFactor(factors: Repositories['factors'], { actor }: Caller): Promise<void> {
  if (actor?.kind === 'USER' && (await factors.list(actor.id)).length === 0)
    throw new ToolError('FACTOR_MISSING', { call: 'Requiring a second factor of all members' });
}

/** @returns null while the service does not respond */
const known = (count: () => Promise<number>): Promise<number | null> =>
  count().catch((error: unknown) => {
    if (error instanceof RemoteFailure) return null;
    throw error;
  });
