import { useQuery } from '@tanstack/react-query';
import { queries } from '../../data/tools.calls.js';
import { filterText } from '../../messages/en/filters.js';
import { ErrorNotice } from '../error-notice.js';
import { useSettled } from '../use-settled.js';
import { filterFields, isComplete } from './filter.js';
import type { Filter } from './filter.js';

const settledMs = 400;
const examplesMax = 10;

/** How many subscribers match filters, and ten of them, once the filters have not changed for 400 ms. */
export function FilterCount({ filters }: { filters: readonly Filter[] }) {
  const current = JSON.stringify(filters);
  const settled = useSettled(current, settledMs);
  const wanted = JSON.parse(settled) as Filter[];
  const { data: available } = useQuery({ ...queries.get_available_filters({}), staleTime: 300_000 });
  const isWhole = available !== undefined && filters.every((one) => isComplete(one, filterFields(available)));
  const { data, error, refetch } = useQuery({
    ...queries.query_subscribers({
      filters: wanted,
      status: 'SUBSCRIBED',
      limit: examplesMax,
      fields: ['id', 'email', 'name'],
    }),
    enabled: isWhole && settled === current,
  });
  if (available && !isWhole) return <p className="text-soft">{filterText('incomplete')}</p>;
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data || settled !== current) return <p className="text-soft">{filterText('counting')}</p>;
  return (
    <div aria-live="polite">
      <p className="font-medium tabular">
        {data.totalIsMinimum
          ? filterText('matchesMinimum', { count: data.total })
          : filterText('matches', { count: data.total })}
      </p>
      {data.subscribers.length > 0 && (
        <p className="mt-0.5 text-sm text-soft wrap-anywhere">
          {filterText('examples')}: {data.subscribers.map(({ email }) => email).join(', ')}
        </p>
      )}
    </div>
  );
}
