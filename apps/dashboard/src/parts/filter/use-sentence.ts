import { useQuery } from '@tanstack/react-query';
import { queries } from '../../data/tools.calls.js';
import { filterFields } from './filter.js';
import type { Filter } from './filter.js';
import { filterSentence } from './filter-sentence.js';

/** Reads filters as a sentence, with the names of the tags and segments that they hold. */
export function useSentence(): (filters: readonly Filter[]) => string {
  const { data: available } = useQuery({ ...queries.get_available_filters({}), staleTime: 300_000 });
  const { data: tags } = useQuery({ ...queries.list_tags({}), staleTime: 60_000 });
  const { data: segments } = useQuery({ ...queries.list_segments({ limit: 1000 }), staleTime: 60_000 });
  const names = new Map([...(tags?.tags ?? []), ...(segments?.segments ?? [])].map(({ id, name }) => [id, name]));
  return (filters) => (available ? filterSentence(filters, filterFields(available), (id) => names.get(id) ?? id) : '…');
}
