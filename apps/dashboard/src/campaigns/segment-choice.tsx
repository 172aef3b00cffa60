import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { SearchField } from '../parts/search-field.js';
import { classNames } from '../ui/class-names.js';
import { Skeleton } from '../ui/states.js';

/** So few segments need no search. */
const searchFrom = 8;

/** Segments to tick; the chosen ones stand first. */
export function SegmentChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: (ids: string[]) => void }) {
  const { data, error, refetch } = useQuery(queries.list_segments({ limit: 1000 }));
  const [query, setQuery] = useState('');
  // Rows must not move under the pointer: only those chosen at first stand above.
  const [first] = useState(chosen);
  const segments = [...(data?.segments ?? [])]
    .filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()))
    .sort((a, b) => Number(first.includes(b.id)) - Number(first.includes(a.id)));
  return (
    <section>
      <h2 className="text-lg font-semibold">{campaignText('audience.segments')}</h2>
      <p className="mb-3 text-soft">
        {data?.segments.length === 0 ? campaignText('audience.segmentsNone') : campaignText('audience.segmentsHint')}
      </p>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {(data?.segments.length ?? 0) >= searchFrom && (
        <SearchField
          label={campaignText('audience.search')}
          value={query}
          onChange={setQuery}
          className="mb-2 w-full"
        />
      )}
      {segments.length > 0 && (
        <ul className="max-h-80 divide-y divide-line overflow-auto rounded-lg border border-line">
          {segments.map(({ id, name }) => (
            <li key={id}>
              <label
                className={classNames(
                  'flex min-h-10 items-center gap-3 px-3 py-2 transition-colors',
                  chosen.includes(id) ? 'bg-accent-soft' : 'hover:bg-ground',
                )}
              >
                <input
                  type="checkbox"
                  className="size-4 shrink-0 accent-accent"
                  checked={chosen.includes(id)}
                  onChange={({ target }) =>
                    onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
                  }
                />
                <span className="min-w-0 wrap-anywhere">{name}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
