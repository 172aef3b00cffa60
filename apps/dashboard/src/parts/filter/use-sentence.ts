import { useQuery } from '@tanstack/react-query';
import { queries } from '../../data/tools.calls.js';
import { filterFields } from './filter.js';
import type { Filter } from './filter.js';
import { filterSentence } from './filter-sentence.js';

/** Says filters as a sentence; `nameOf` returns the name of a tag, segment or custom field, or its id if it has none. */
export type Sentence = ((filters: readonly Filter[]) => string) & { nameOf: (id: string) => string };

/** Reads filters as a sentence, with the names of the records that they hold. */
export function useSentence(): Sentence {
  const { data: available } = useQuery({ ...queries.get_available_filters({}), staleTime: 300_000 });
  const { data: tags } = useQuery({ ...queries.list_tags({}), staleTime: 60_000 });
  const { data: segments } = useQuery({ ...queries.list_segments({ limit: 1000 }), staleTime: 60_000 });
  const { data: fields } = useQuery({ ...queries.get_custom_fields({}), staleTime: 60_000 });
  const named = [...(tags?.tags ?? []), ...(segments?.segments ?? []), ...(fields?.customFields ?? [])];
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const say = (filters: readonly Filter[]) =>
    available ? filterSentence(filters, filterFields(available), nameOf) : '…';
  return Object.assign(say, { nameOf });
}
