import { currentOrganization } from '../data/session.js';
import type { Filter } from '../parts/filter/filter.js';

const unfinished = new Map<string, readonly Filter[]>();

const keyOf = (campaignId: string): string => `${currentOrganization()} ${campaignId}`;

/**
 * The filters of an audience of which some lack a value. The API holds whole filters only, so the page keeps these until they
 * are complete.
 * @returns null if all filters are saved
 */
export const unfinishedAudience = (campaignId: string): readonly Filter[] | null =>
  unfinished.get(keyOf(campaignId)) ?? null;

/** @param filters null once the filters are whole */
export function keepUnfinished(campaignId: string, filters: readonly Filter[] | null): void {
  if (filters) unfinished.set(keyOf(campaignId), filters);
  else unfinished.delete(keyOf(campaignId));
}
