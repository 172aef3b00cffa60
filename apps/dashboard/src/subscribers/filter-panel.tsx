import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../data/tools.calls.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { FilterBuilder } from '../parts/filter/filter-builder.js';
import { filterFields, isComplete } from '../parts/filter/filter.js';
import type { Filter } from '../parts/filter/filter.js';
import { mayAct } from '../parts/own-role.js';
import { ScreenLink } from '../parts/screen-link.js';
import { useAddressDraft } from '../parts/use-address-draft.js';
import { Button, buttonClass, IconButton } from '../ui/button.js';
import type { ListSearch } from './list-search.js';

const none: Filter[] = [];

/** Tag and filters of the list; they stand in the address, so that others see the same rows by its link. */
export function FilterPanel({
  search: { tag, filters: given = none },
  onChange,
}: {
  search: ListSearch;
  onChange: (change: Pick<ListSearch, 'tag' | 'filters'>) => void;
}) {
  const [filters, setFilters] = useAddressDraft<Filter[]>(given, (next) =>
    onChange({ filters: next.length > 0 ? next : undefined }),
  );
  const [isOpen, setOpen] = useState(filters.length > 0);
  const count = filters.length;
  return (
    <div className="flex flex-col gap-3 pb-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button small icon="segment" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {count > 0 ? subscriberText('filtersOn', { count }) : subscriberText('filters')}
        </Button>
        {tag !== undefined && (
          <span className="flex h-7 items-center rounded-md bg-sunk ps-2 text-sm">
            {subscriberText('tagShown', { tag })}
            <IconButton
              small
              icon="close"
              label={subscriberText('tagClear')}
              onClick={() => onChange({ tag: undefined })}
            />
          </span>
        )}
        {count > 0 && mayAct('editor') && (
          <ScreenLink
            screen="segment"
            params={{ segmentId: 'new' }}
            search={{ filters }}
            className={buttonClass('quiet', true)}
          >
            {subscriberText('saveSegment')}
          </ScreenLink>
        )}
        <Unfinished filters={filters} />
      </div>
      {isOpen && (
        <section
          aria-label={subscriberText('filters')}
          className="max-h-64 overflow-auto rounded-lg border border-line p-3"
        >
          <FilterBuilder filters={filters} onChange={setFilters} />
        </section>
      )}
    </div>
  );
}

/** How many filters lack a value: the list leaves them out. */
function Unfinished({ filters }: { filters: readonly Filter[] }) {
  const { data } = useQuery({
    ...queries.get_available_filters({}),
    staleTime: 300_000,
    enabled: filters.length > 0,
  });
  const count = data ? filters.filter((one) => !isComplete(one, filterFields(data))).length : 0;
  if (count === 0) return null;
  return (
    <span role="status" className="text-sm text-warn">
      {subscriberText('unfinished', { count })}
    </span>
  );
}
