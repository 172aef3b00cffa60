import { memo } from 'react';
import type { CSSProperties, ReactNode } from 'react';
import { commonText } from '../messages/en/common.js';
import { IconButton } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Skeleton } from '../ui/states.js';
import { ScreenLink } from './screen-link.js';
import type { ScreenTarget } from './screen-link.js';
import type { Selection } from './use-selection.js';

/** One column of a list. */
export interface Column<R> {
  id: string;
  header: string;
  cell: (row: R) => ReactNode;
  /** A CSS grid track; default `minmax(0, 1fr)`. */
  width?: string;
  /** Numbers stand at the end. */
  align?: 'end';
  /**
   * On a phone: the first column is the first line, `detail` ones the second, an `aside` one stands at the end of the first;
   * others are left out.
   */
  phone?: 'detail' | 'aside';
}

const boxWidth = '1.75rem';
const gridOf = <R,>(columns: readonly Column<R>[], hasBox: boolean): CSSProperties => ({
  gridTemplateColumns: [...(hasBox ? [boxWidth] : []), ...columns.map(({ width }) => width ?? 'minmax(0, 1fr)')].join(
    ' ',
  ),
});
const rowClass = 'grid items-center gap-x-4';

/** The names of the columns; while rows are selected, what acts on them. */
export function HeadRow<R>({
  columns,
  isNarrow,
  bulk,
  selection,
}: {
  columns: readonly Column<R>[];
  isNarrow: boolean;
  bulk: ((selection: Selection<R>) => ReactNode) | undefined;
  selection: Selection<R>;
}) {
  const isSelecting = bulk !== undefined && selection.count > 0;
  if (isNarrow && !isSelecting) return null;
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-paper">
      {isSelecting ? (
        <div role="row" className="flex min-h-10 flex-wrap items-center gap-2 border-b border-line py-1">
          <div role="cell" className="flex flex-wrap items-center gap-2">
            <IconButton small icon="close" label={commonText('list.clear')} onClick={selection.clear} />
            <span className="me-2 font-medium tabular">{commonText('list.selected', { count: selection.count })}</span>
            {bulk(selection)}
          </div>
        </div>
      ) : (
        <div
          role="row"
          aria-rowindex={1}
          className={classNames(rowClass, 'h-9 border-b border-line')}
          style={gridOf(columns, bulk !== undefined)}
        >
          {bulk && (
            <div role="columnheader">
              <input
                type="checkbox"
                aria-label={commonText('list.selectAll')}
                checked={false}
                onChange={selection.selectAll}
                className="block size-4 accent-accent"
              />
            </div>
          )}
          {columns.map(({ id, header, align }) => (
            <div
              key={id}
              role="columnheader"
              className={classNames('truncate text-sm text-soft', align === 'end' && 'text-end')}
            >
              {header}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

interface RowProps<R> {
  row: R;
  place: number;
  rowIndex: number;
  columns: readonly Column<R>[];
  isNarrow: boolean;
  /** Pixels from the top of the list. */
  start: number;
  height: number;
  /** Without it, the row cannot be selected. */
  isSelected?: boolean;
  onToggle?: (row: R) => void;
  target?: (row: R) => ScreenTarget;
  onOpen?: (row: R) => void;
}

function PlainRow<R>({
  row,
  place,
  rowIndex,
  columns,
  isNarrow,
  start,
  height,
  isSelected,
  onToggle,
  target,
  onOpen,
}: RowProps<R>) {
  const [first, ...others] = columns;
  const title = <RowTitle row={row} cell={first!.cell(row)} {...(target && { target })} {...(onOpen && { onOpen })} />;
  const style = { transform: `translateY(${start}px)`, height };
  const box = onToggle && (
    <input
      type="checkbox"
      aria-label={commonText('list.select')}
      checked={isSelected ?? false}
      onChange={() => onToggle(row)}
      className="relative z-1 block size-4 accent-accent"
    />
  );
  return (
    <div
      role="row"
      data-place={place}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      style={isNarrow ? style : { ...style, ...gridOf(columns, onToggle !== undefined) }}
      className={classNames(
        'absolute inset-x-0 top-0 border-b border-line transition-colors',
        (target ?? onOpen) && 'hover:bg-ground/70',
        'focus-within:bg-ground/70',
        isSelected && 'bg-accent-soft! hover:bg-accent-soft!',
        isNarrow ? 'flex items-center gap-3' : rowClass,
      )}
    >
      {isNarrow ? (
        <>
          {box && <div role="cell">{box}</div>}
          <div role="cell" className="min-w-0 flex-1">
            <div className="truncate">{title}</div>
            <div className="flex gap-2 truncate text-sm text-soft">
              {others
                .filter(({ phone }) => phone === 'detail')
                .map(({ id, cell }) => (
                  <span key={id} className="truncate">
                    {cell(row)}
                  </span>
                ))}
            </div>
          </div>
          {others
            .filter(({ phone }) => phone === 'aside')
            .map(({ id, cell }) => (
              <div key={id} role="cell" className="shrink-0">
                {cell(row)}
              </div>
            ))}
        </>
      ) : (
        <>
          {box && <div role="cell">{box}</div>}
          <div role="cell" className="min-w-0 truncate font-medium">
            {title}
          </div>
          {others.map(({ id, cell, align }) => (
            <div key={id} role="cell" className={classNames('min-w-0 truncate', align === 'end' && 'text-end tabular')}>
              {cell(row)}
            </div>
          ))}
        </>
      )}
    </div>
  );
}

/** A row is drawn again only when it changes. */
export const Row = memo(PlainRow) as typeof PlainRow;

/** The link or button of a row: its area is the whole row, its name the first cell. */
function RowTitle<R>({
  row,
  cell,
  target,
  onOpen,
}: {
  row: R;
  cell: ReactNode;
  target?: (row: R) => ScreenTarget;
  onOpen?: (row: R) => void;
}) {
  const className =
    'after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent';
  if (target)
    return (
      <ScreenLink {...target(row)} data-row="" className={className}>
        {cell}
      </ScreenLink>
    );
  if (onOpen)
    return (
      <button type="button" data-row="" onClick={() => onOpen(row)} className={classNames(className, 'text-start')}>
        {cell}
      </button>
    );
  return cell;
}

/** Rows of the size of what comes. */
export function LoadingRows<R>({
  columns,
  hasBox,
  height,
}: {
  columns: readonly Column<R>[];
  hasBox: boolean;
  height: number;
}) {
  return (
    <div
      aria-busy="true"
      aria-label={commonText('loading')}
      role="status"
      className="min-h-0 flex-1 overflow-hidden pt-9"
    >
      {Array.from({ length: 12 }, (_, place) => (
        <div
          key={place}
          className={classNames(rowClass, 'border-b border-line')}
          style={{ ...gridOf(columns, hasBox), height }}
        >
          {hasBox && <Skeleton className="size-4" />}
          {columns.map(({ id }, column) => (
            <Skeleton key={id} className={classNames('h-3', column === 0 ? 'w-3/5' : 'w-2/5')} />
          ))}
        </div>
      ))}
    </div>
  );
}
