import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { filterFields, isComplete } from '../parts/filter/filter.js';
import { filterSentence } from '../parts/filter/filter-sentence.js';
import { unfinishedAudience } from './unfinished-audience.js';

/** The filters of a campaign's audience that lack a value, as sentences such as "City is …". */
export function useUnfinished(campaignId: string): string[] {
  const filters = unfinishedAudience(campaignId) ?? [];
  const { data } = useQuery({
    ...queries.get_available_filters({}),
    staleTime: 300_000,
    enabled: filters.length > 0,
  });
  if (!data) return filters.length > 0 ? ['…'] : [];
  const fields = filterFields(data);
  return filters.filter((one) => !isComplete(one, fields)).map((one) => filterSentence([one], fields));
}
