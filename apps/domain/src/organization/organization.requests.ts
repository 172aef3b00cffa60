import { makeDkimKeyPair } from '../dkim-key/dkim-key.js';
import type { RequestHandlers, Repositories } from '../repositories.js';
import { publicSender } from '../sender/sender.js';
import { assertCell, ratePerMinuteOf } from './organization.js';
import { updateOrganization } from './update-organization.service.js';
import type { UpdateDependencies } from './update-organization.service.js';
import type { Plan } from './plan.repository.js';
import { createOrganization } from './create-organization.service.js';

interface Dependencies extends UpdateDependencies {
  repositories: Pick<Repositories, 'organizations' | 'plans'>;
  sandboxSuffix: string;
  cells: readonly string[];
}

export const organizationRequestHandlers = ({
  repositories: { organizations, plans },
  inTransaction,
  bus,
  sandboxSuffix,
  cells,
}: Dependencies): RequestHandlers<
  'get_organization' | 'list_organizations' | 'create_organization' | 'set_organization' | 'list_plans' | 'set_plan'
> => ({
  get_organization: async (_args, caller) => ({ organization: await organizations.get(caller.organizationId) }),

  list_organizations: async () => ({ organizations: await organizations.list() }),

  create_organization: async ({ name, cell }) => {
    assertCell(cell, cells);
    const keyPair = await makeDkimKeyPair();
    const { organization, sender } = await inTransaction((repositories) =>
      createOrganization(repositories, { name, cell, sandboxSuffix }, keyPair),
    );
    return { organization, sender: publicSender(sender) };
  },

  set_organization: async ({ organizationId, ...change }) => ({
    organization: await updateOrganization({ inTransaction, bus }, organizationId, change),
  }),

  list_plans: async () => ({ plans: (await plans.list()).map(planFacts) }),

  set_plan: async ({ plan, quotas }) => {
    const changed = await plans.update(plan, quotas);
    for (const { id, plan: held } of await organizations.list())
      if (held === plan) bus.broadcast('organization.changed', { organizationId: id });
    return { plan: planFacts(changed) };
  },
});

const planFacts = (one: Plan) => ({ ...one, ratePerMinute: ratePerMinuteOf(one.plan, null) });
