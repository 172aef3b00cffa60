import type { Answers, Repositories } from '../repositories.js';

export const answerDkimKeyRequests = ({ dkimKeys }: Pick<Repositories, 'dkimKeys'>): Answers<'get_signing_key'> => ({
  get_signing_key: async ({ domain }, caller) => ({ key: await dkimKeys.findByDomain(caller.organizationId, domain) }),
});
