import { makeDkimKeyPair } from '../dkim-key/dkim-key.js';
import type { RequestHandlers, Repositories } from '../repositories.js';
import { publicSender } from '../sender/sender.js';
import { changeOrganization } from './organization.change.js';
import type { ChangeParts } from './organization.change.js';
import { foundOrganization } from './organization.founding.js';

interface Parts extends ChangeParts {
  repositories: Pick<Repositories, 'organizations'>;
  sandboxSuffix: string;
}

export const organizationRequestHandlers = ({
  repositories: { organizations },
  inTransaction,
  bus,
  sandboxSuffix,
}: Parts): RequestHandlers<'get_organization' | 'list_organizations' | 'create_organization' | 'set_organization'> => ({
  get_organization: async (_args, caller) => ({ organization: await organizations.get(caller.organizationId) }),

  list_organizations: async () => ({ organizations: await organizations.list() }),

  create_organization: async ({ name }) => {
    const keyPair = await makeDkimKeyPair();
    const { organization, sender } = await inTransaction((repositories) =>
      foundOrganization(repositories, { name, sandboxSuffix }, keyPair),
    );
    return { organization, sender: publicSender(sender) };
  },

  set_organization: async ({ organizationId, ...change }) => ({
    organization: await changeOrganization({ inTransaction, bus }, organizationId, change),
  }),
});
