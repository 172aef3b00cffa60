import type { Answers, Repositories } from '../repositories.js';
import { mergeTakes, shareGrants } from './permit.js';

export const answerPermitRequests = ({ permits }: Pick<Repositories, 'permits'>): Answers<'take_permits'> => ({
  take_permits: async ({ takes }) => ({ grants: shareGrants(takes, await permits.take(mergeTakes(takes))) }),
});
