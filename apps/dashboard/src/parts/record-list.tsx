import { hashKey, useInfiniteQuery } from '@tanstack/react-query';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { ReactNode, RefObject } from 'react';
import type { PageQuery } from '../data/tools.calls.js';
import { commonText } from '../messages/en/common.js';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';
import { useNarrow } from '../ui/use-narrow.js';
import { ErrorNotice } from './error-notice.js';
import { useListKeys } from './list-keys.js';
import { HeadRow, LoadingRows, Row } from './record-row.js';
import type { Column } from './record-row.js';
import type { ScreenTarget } from './screen-link.js';
import { useSelection } from './use-selection.js';
import type { Selection } from './use-selection.js';

const pageSize = 100;
const rowHeight = { wide: 40, narrow: 60 };

export interface RecordListProps<D, R> {
  /** What the list holds, for screen readers. */
  label: string;
  /** The read, such as `pages.search_subscribers({ … })`. */
  query: PageQuery<D>;
  rowsOf: (page: D) => readonly R[];
  idOf: (row: R) => string;
  /** The first column holds the link; see `Column` for how the others appear on a phone. */
  columns: readonly Column<R>[];
  /** Where a row leads. */
  target?: (row: R) => ScreenTarget;
  /** Where rows open in place instead. */
  onOpen?: (row: R) => void;
  /** Buttons that act on the selected rows; without it, nothing can be selected. */
  bulk?: (selection: Selection<R>) => ReactNode;
  /** What stands here before the first record. */
  empty: ReactNode;
  /** The filters in words and their removal, while any is set. */
  filtered?: { what: string; clear: () => void } | false | undefined;
}

/**
 * A list by cursor of any length: rows are drawn where they are seen, pages of 100 are fetched ahead, and at most 5,000 rows
 * are held around the view. `j` and `k` move, `x` selects, Enter opens, Esc clears. It fills the height of its parent.
 */
export function RecordList<D, R>(props: RecordListProps<D, R>) {
  const { label, query, rowsOf, idOf, columns, bulk, empty, filtered } = props;
  const list = useInfiniteQuery(query);
  const { data } = list;
  // Scrolling draws the list again at each frame: what did not change must not be made again.
  const rows = useMemo(() => (data?.pages ?? []).flatMap((page) => rowsOf(page)), [data, rowsOf]);
  const isNarrow = useNarrow();
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide;
  const scrollRef = useRef<HTMLDivElement>(null);
  const name = hashKey(query.queryKey);
  const selection = useSelection(rows, idOf, name);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => height,
    getItemKey: (place) => idOf(rows[place]!),
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const first = (list.data?.pageParams[0]?.place ?? 0) * pageSize;
  useKeptPlace(scrollRef, first * height, name);
  useFetchAhead(list, scrollRef, { count: rows.length, height });
  useListKeys({ scrollRef, scrollTo: (place) => virtual.scrollToIndex(place), selection, rows });

  if (list.isPending) return <LoadingRows columns={columns} hasBox={bulk !== undefined} height={height} />;
  if (list.data && rows.length === 0 && !list.error) return <>{filtered ? <NothingFound {...filtered} /> : empty}</>;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {list.error && (
        <div className="pb-3">
          <ErrorNotice error={list.error} isStale={rows.length > 0} onRetry={() => void list.refetch()} />
        </div>
      )}
      <div ref={scrollRef} className="-mx-4 min-h-0 flex-1 overflow-auto px-4 sm:-mx-8 sm:px-8" tabIndex={-1}>
        <div role="table" aria-label={label} aria-rowcount={-1} className="min-w-0">
          <HeadRow columns={columns} isNarrow={isNarrow} bulk={bulk} selection={selection} />
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => (
              <Row
                key={idOf(rows[index]!)}
                row={rows[index]!}
                place={index}
                rowIndex={first + index + 2}
                columns={columns}
                isNarrow={isNarrow}
                start={start}
                height={height}
                {...(bulk && { isSelected: selection.has(rows[index]!), onToggle: selection.toggle })}
                {...(props.target && { target: props.target })}
                {...(props.onOpen && { onOpen: props.onOpen })}
              />
            ))}
          </div>
        </div>
        {list.isFetchingNextPage && <p className="py-3 text-center text-sm text-soft">{commonText('list.more')}</p>}
      </div>
    </div>
  );
}

type List = Pick<
  UseInfiniteQueryResult,
  'error' | 'hasNextPage' | 'hasPreviousPage' | 'isFetching' | 'fetchNextPage' | 'fetchPreviousPage'
>;

/**
 * Fetches the next page half a page before its rows are seen, and a dropped one on the way back. It looks at the list itself:
 * right after pages were dropped, what the virtualizer knows is where the rows were.
 * @param rows how many are held, of a height in pixels
 */
function useFetchAhead(
  list: List,
  ref: RefObject<HTMLDivElement | null>,
  rows: { count: number; height: number },
): void {
  const { hasNextPage, hasPreviousPage, isFetching, error } = list;
  useEffect(() => {
    if (!ref.current || rows.count === 0 || isFetching || error) return;
    const { scrollTop, clientHeight } = ref.current;
    const ahead = (pageSize / 2) * rows.height;
    if (hasNextPage && scrollTop + clientHeight + ahead > rows.count * rows.height) void list.fetchNextPage();
    else if (hasPreviousPage && scrollTop < ahead) void list.fetchPreviousPage();
  });
}

/**
 * Keeps the rows in place when pages before them are dropped or come back; another list begins at its top.
 * @param before the height of the pages before the first that is held
 * @param name of the list
 */
function useKeptPlace(ref: RefObject<HTMLDivElement | null>, before: number, name: string): void {
  const known = useRef({ before, name });
  useLayoutEffect(() => {
    const { current: list } = ref;
    if (list && known.current.name !== name) list.scrollTop = 0;
    else if (list) list.scrollTop += known.current.before - before;
    known.current = { before, name };
  }, [ref, before, name]);
}

function NothingFound({ what, clear }: { what: string; clear: () => void }) {
  return (
    <EmptyState
      icon="search"
      title={commonText('nothing.title')}
      action={<Button onClick={clear}>{commonText('nothing.clear')}</Button>}
    >
      {commonText('nothing.lead', { what })}
    </EmptyState>
  );
}
