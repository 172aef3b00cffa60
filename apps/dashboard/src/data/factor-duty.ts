import type { QueryClient } from '@tanstack/react-query';
import { Refusal } from './refusal.js';

const isMissing = (error: unknown): boolean => error instanceof Refusal && error.reason === 'SECOND_FACTOR_REQUIRED';

/**
 * Leads to the set-up of a second factor as soon as a read is refused for want of one: nothing else works before.
 * @returns ends it
 */
export function followFactorDuty(client: QueryClient): () => void {
  const cache = client.getQueryCache();
  const leave = () => location.assign('/account/security');
  if (cache.getAll().some(({ state }) => isMissing(state.error))) leave();
  return cache.subscribe(({ query, type }) => {
    if (type === 'updated' && isMissing(query.state.error)) leave();
  });
}
