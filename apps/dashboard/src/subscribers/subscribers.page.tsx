import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ComponentProps } from 'react';
import { pages, queries } from '../data/tools.calls.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { CopyAs } from '../parts/copy-as.js';
import { filterFields, isComplete } from '../parts/filter/filter.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import { ScreenLink } from '../parts/screen-link.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { StatusTabs } from '../parts/status-tabs.js';
import type { Selection } from '../parts/use-selection.js';
import { Button, buttonClass } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Choice } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { EmptyState } from '../ui/states.js';
import { ExportButton } from './export-button.js';
import { FilterPanel } from './filter-panel.js';
import { searchPart, sorts } from './list-search.js';
import type { ListSearch } from './list-search.js';
import type { Subscriber } from './subscriber-details.js';
import { subscriberColumns } from './subscriber-columns.js';
import { subscriberStatuses } from './subscriber-status.js';

const AddDialog = lazy(async () => ({ default: (await import('./add-dialog.js')).AddDialog }));
const BulkTags = lazy(async () => ({ default: (await import('./bulk-tags.js')).BulkTags }));

const orders = {
  newest: { sort: 'createdAt', order: 'DESC' },
  oldest: { sort: 'createdAt', order: 'ASC' },
  email: { sort: 'email', order: 'ASC' },
} as const;

/** Everybody on the list, by status, search, tag and filters. */
export function SubscribersPage() {
  const [search, setSearch] = useScreenSearch(searchPart);
  const [isAdding, setAdding] = useState(false);
  const { q, status, tag, sort = 'newest' } = search;
  const wanted = useWanted(search);
  const { data: totals } = useQuery(queries.search_subscribers({ ...wanted, status: 'ALL', counts: true, limit: 1 }));
  const input = { ...wanted, status: status ?? 'ALL', ...orders[sort], limit: 100 } as const;
  const mayEdit = mayAct('editor');
  const add = mayEdit && (
    <Button look="primary" icon="plus" data-compose="" onClick={() => setAdding(true)}>
      <span className="max-sm:sr-only">{subscriberText('add')}</span>
    </Button>
  );
  const isFiltered = Boolean(q ?? status ?? tag ?? wanted.filters);
  return (
    <Page
      title={subscriberText('title')}
      fill
      actions={
        <>
          {add}
          {mayEdit && <FileActions input={{ ...wanted, status: status ?? 'ALL' }} />}
          <CopyAs tool="search_subscribers" input={input} />
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <StatusTabs
          label={subscriberText('status')}
          value={status ?? 'ALL'}
          onChange={(value) => setSearch({ status: value === 'ALL' ? undefined : value })}
          tabs={tabsOf(totals, status)}
        />
        <div className="flex w-full flex-wrap items-center gap-2 sm:ms-auto sm:w-auto">
          <Choice
            aria-label={subscriberText('sort')}
            className="w-36"
            value={sort}
            onChange={({ target }) => setSearch({ sort: sorts.find((one) => one === target.value) })}
            options={sorts.map((value) => ({ value, label: subscriberText(`sort.${value}`) }))}
          />
          <SearchField
            label={subscriberText('search')}
            value={q ?? ''}
            onChange={(value) => setSearch({ q: value }, { replace: true })}
            className="min-w-0 flex-1 sm:w-72 sm:flex-none"
          />
          {mayEdit && (
            <ScreenLink screen="subscriberExports" className="text-sm text-soft underline underline-offset-2 sm:hidden">
              {subscriberText('exports')}
            </ScreenLink>
          )}
        </div>
      </div>
      <FilterPanel search={search} onChange={(change) => setSearch(change, { replace: true })} />
      <RecordList
        label={subscriberText('title')}
        query={pages.search_subscribers(input)}
        rowsOf={({ subscribers }) => subscribers}
        idOf={({ id }) => id}
        columns={subscriberColumns}
        target={({ id }) => ({ screen: 'subscriber', params: { subscriberId: id } })}
        {...(mayEdit && {
          bulk: ({ rows, clear }: Selection<Subscriber>) => (
            <Suspense fallback={null}>
              <BulkTags ids={rows.map(({ id }) => id)} onDone={clear} />
            </Suspense>
          ),
        })}
        filtered={
          isFiltered && {
            what: filterWords(search),
            clear: () => setSearch({ q: undefined, status: undefined, tag: undefined, filters: undefined }),
          }
        }
        empty={
          <EmptyState icon="people" title={subscriberText('empty.title')} action={add}>
            {subscriberText('empty.lead')}
          </EmptyState>
        }
      />
      {isAdding && (
        <Suspense fallback={null}>
          <AddDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Page>
  );
}

/** Import, export, and the way to former exports. */
function FileActions({ input }: ComponentProps<typeof ExportButton>) {
  return (
    <>
      <ScreenLink screen="subscriberImports" className={buttonClass()}>
        <Icon name="upload" />
        <span className="max-sm:sr-only">{subscriberText('import')}</span>
      </ScreenLink>
      <ExportButton input={input} />
      {/* On a phone it stands below, so that the title has room. */}
      <ScreenLink screen="subscriberExports" className={classNames(buttonClass('quiet'), 'max-sm:hidden')}>
        <Icon name="clock" />
        {subscriberText('exports')}
      </ScreenLink>
    </>
  );
}

/** The part of a search that its totals share: text, tag, and the filters that are whole. */
function useWanted({ q, tag, filters = [] }: ListSearch) {
  const { data: available } = useQuery({
    ...queries.get_available_filters({}),
    staleTime: 300_000,
    enabled: filters.length > 0,
  });
  const fields = available && filterFields(available);
  const whole = fields ? filters.filter((one) => isComplete(one, fields)) : [];
  return { ...(q && { query: q }), ...(tag && { tag }), ...(whole.length > 0 && { filters: whole }) };
}

function filterWords({ q, status, tag }: ListSearch): string {
  if (q) return subscriberText('filtered.query', { query: q });
  if (tag) return subscriberText('filtered.tag', { tag });
  return status
    ? subscriberText('filtered.status', { status: subscriberText(`status.${status}`) })
    : subscriberText('filtered.filters');
}

interface Totals {
  total: number;
  totalIsMinimum?: true | undefined;
  counts?: Partial<Record<(typeof subscriberStatuses)[number], number>> | undefined;
  countsAreMinimum?: true | undefined;
}

/** "All", and each status that some subscriber has. */
function tabsOf(totals: Totals | undefined, chosen: ListSearch['status']) {
  const counts = totals?.counts;
  return [
    {
      value: 'ALL' as const,
      label: subscriberText('all'),
      count: totals?.total,
      isMinimum: totals?.totalIsMinimum === true,
    },
    ...subscriberStatuses
      .filter((one) => one === chosen || (counts?.[one] ?? 0) > 0)
      .map((one) => ({
        value: one,
        label: subscriberText(`status.${one}`),
        count: counts?.[one],
        isMinimum: totals?.countsAreMinimum === true,
      })),
  ];
}
