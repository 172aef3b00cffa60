import { makeDkimKeyPair } from '../dkim-key/make-key-pair.js';
import type { RequestHandlers, Repositories } from '../repositories.js';
import { publicSender } from '../sender/sender.js';
import { assertCell } from './organization.js';
import { updateOrganization } from './update-organization.service.js';
import type { UpdateDependencies } from './update-organization.service.js';
import { createOrganization } from './create-organization.service.js';

export interface OrganizationRequestDependencies extends UpdateDependencies {
  repositories: Pick<Repositories, 'organizations'>;
  sandboxSuffix: string;
  cells: readonly string[];
}

export const organizationRequestHandlers = ({
  repositories: { organizations },
  inTransaction,
  bus,
  sandboxSuffix,
  cells,
}: OrganizationRequestDependencies): RequestHandlers<
  'get_organization' | 'list_organizations' | 'create_organization' | 'set_organization'
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
});
