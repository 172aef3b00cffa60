import type { RequestHandlers, Repositories } from '../repositories.js';
import { mergeTakes, shareGrants } from './permit.js';

export const permitRequestHandlers = ({
  permits,
}: Pick<Repositories, 'permits'>): RequestHandlers<'take_permits' | 'return_permits'> => ({
  take_permits: async ({ takes }) => ({ grants: shareGrants(takes, await permits.take(mergeTakes(takes))) }),

  return_permits: async ({ returns }) => {
    await permits.giveBack(returns);
    return {};
  },
});
