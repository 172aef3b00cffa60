import type { RequestHandlers, Repositories } from '../repositories.js';

export const dkimKeyRequestHandlers = ({
  dkimKeys,
}: Pick<Repositories, 'dkimKeys'>): RequestHandlers<'get_signing_key'> => ({
  get_signing_key: async ({ domain }, caller) => ({ key: await dkimKeys.findByDomain(caller.organizationId, domain) }),
});
