import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { queries } from '../../data/tools.calls.js';
import { filterText, filterWord } from '../../messages/en/filters.js';
import { Button, IconButton } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Choice } from '../../ui/field.js';
import { Skeleton } from '../../ui/states.js';
import { ErrorNotice } from '../error-notice.js';
import {
  customFieldOf,
  customFieldType,
  emptyFilter,
  filterFields,
  isGroup,
  operatorOf,
  paramsOf,
  withOperator,
} from './filter.js';
import type { Filter, FilterField, FilterGroup } from './filter.js';
import { FilterValue } from './filter-value.js';
import { useRowKeys } from './use-row-keys.js';

/**
 * Builds a list of filters, all of which must match, with groups for "any of". What can be filtered, by which operators and
 * values, comes from `get_available_filters` alone.
 */
export function FilterBuilder({
  filters,
  onChange,
}: {
  filters: readonly Filter[];
  onChange: (filters: Filter[]) => void;
}) {
  const { data, error, refetch } = useQuery({ ...queries.get_available_filters({}), staleTime: 300_000 });
  if (!data) return error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-8" />;
  return (
    <FilterList
      filters={filters}
      match="ALL"
      fields={filterFields(data)}
      depthLeft={data.group.depthMax}
      onChange={onChange}
    />
  );
}

function FilterList({
  filters,
  match,
  fields,
  depthLeft,
  onChange,
}: {
  filters: readonly Filter[];
  match: 'ANY' | 'ALL';
  fields: readonly FilterField[];
  /** How many groups may stand in each other from here on. */
  depthLeft: number;
  onChange: (filters: Filter[]) => void;
}) {
  const { keys, remove } = useRowKeys(filters.length);
  const { ref, focusRow } = useRowFocus(filters.length);
  const replace = (place: number, next: Filter | null) => {
    if (next === null) {
      remove(place);
      focusRow(place);
    }
    onChange(filters.flatMap((one, index) => (index !== place ? [one] : next ? [next] : [])));
  };
  const add = (filter: Filter) => {
    focusRow(filters.length);
    onChange([...filters, filter]);
  };
  const first = emptyFilter(fields[0]!.operators[0]!);
  const group: FilterGroup = { type: 'GROUP', match: 'ANY', filters: [first] };
  return (
    <div ref={ref} className="flex min-w-0 flex-col gap-2">
      {filters.map((filter, place) => {
        const lead = place === 0 ? filterText('where') : filterText(match === 'ALL' ? 'and' : 'or');
        const onFilter = (next: Filter | null) => replace(place, next);
        return isGroup(filter) ? (
          <GroupRow
            key={keys[place]}
            lead={lead}
            group={filter}
            fields={fields}
            depthLeft={depthLeft - 1}
            onChange={onFilter}
          />
        ) : (
          <FilterRow key={keys[place]} lead={lead} filter={filter} fields={fields} onChange={onFilter} />
        );
      })}
      <div className="flex gap-1">
        <Button small look="quiet" icon="plus" data-add="" onClick={() => add(first)}>
          {filterText('add')}
        </Button>
        {depthLeft > 0 && (
          <Button small look="quiet" icon="plus" onClick={() => add(group)}>
            {filterText('addGroup')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Moves the focus to a row once it is there; to the button that adds one if no row is left. */
function useRowFocus(count: number) {
  const ref = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    const place = wanted.current;
    const list = ref.current;
    wanted.current = null;
    if (place === null || !list) return;
    const rows = list.querySelectorAll(':scope > [data-row]');
    const row = rows[Math.min(place, rows.length - 1)];
    const target = row ? row.querySelector<HTMLElement>('select, input, button') : null;
    (target ?? list.querySelector<HTMLElement>(':scope > div > [data-add]'))?.focus();
  }, [count]);
  return { ref, focusRow: (place: number) => void (wanted.current = place) };
}

/** "Where", "and" or "or", before a line of the list. */
function Line({
  lead,
  children,
  onRemove,
  removeText,
}: {
  lead: string;
  children: ReactNode;
  onRemove: () => void;
  removeText: string;
}) {
  return (
    <div data-row="" className="flex min-w-0 items-start gap-2">
      <span className="w-11 shrink-0 pt-1.5 text-end text-sm text-soft">{lead}</span>
      {children}
      <IconButton icon="close" label={removeText} onClick={onRemove} className="ms-auto shrink-0" />
    </div>
  );
}

interface RowProps<F> {
  lead: string;
  fields: readonly FilterField[];
  onChange: (filter: F | null) => void;
}

function GroupRow({
  lead,
  group,
  fields,
  depthLeft,
  onChange,
}: RowProps<Filter> & { group: FilterGroup; depthLeft: number }) {
  return (
    <Line lead={lead} onRemove={() => onChange(null)} removeText={filterText('removeGroup')}>
      <div className="flex min-w-0 flex-1 flex-col gap-2 rounded-md border border-line bg-ground/60 p-2">
        <Choice
          aria-label={filterText('match')}
          value={group.match}
          onChange={({ target }) => onChange({ ...group, match: target.value })}
          options={(['ANY', 'ALL'] as const).map((value) => ({ value, label: filterText(value) }))}
          className="w-36"
        />
        <FilterList
          filters={group.filters}
          match={group.match}
          fields={fields}
          depthLeft={depthLeft}
          onChange={(filters) => onChange(filters.length === 0 ? null : { ...group, filters })}
        />
      </div>
    </Line>
  );
}

function FilterRow({ lead, filter, fields, onChange }: RowProps<Filter> & { filter: Filter }) {
  const found = operatorOf(filter, fields);
  const change = (key: string) => {
    const id = customFieldIn(key);
    const field = fields.find((one) => (id === null ? one.key === key : one.type === customFieldType))!;
    onChange({ ...emptyFilter(field.operators[0]!), ...(id !== null && { fieldId: id }) });
  };
  return (
    <Line lead={lead} onRemove={() => onChange(null)} removeText={filterText('remove')}>
      {found ? (
        <div className={classNames('flex min-w-0 flex-1 flex-wrap items-start gap-2')}>
          <FieldChoice fields={fields} filter={filter} value={found.field.key} onChange={change} />
          {found.field.type === customFieldType && (
            <ReadingChoice fields={fields} filter={filter} value={found.field.key} onChange={onChange} />
          )}
          <Choice
            aria-label={filterText('operator')}
            value={found.operator.operator}
            onChange={({ target }) =>
              onChange(
                withOperator(
                  filter,
                  found.field.operators.find(({ operator }) => operator === target.value)!,
                ),
              )
            }
            options={found.field.operators.map(({ operator }) => ({
              value: operator,
              label: filterWord(operator, found.field.type),
            }))}
            className="w-40"
          />
          {paramsOf(found.operator)
            .filter(({ noun }) => noun !== 'field' || found.field.type !== customFieldType)
            .map((param) => (
              <FilterValue
                key={`${found.field.key}/${found.operator.operator}/${param.name}`}
                filter={filter}
                param={param}
                onChange={onChange}
              />
            ))}
        </div>
      ) : (
        <p className="min-w-0 flex-1 pt-1.5 text-warn wrap-anywhere">
          {filterText('unknown', { json: JSON.stringify(filter) })}
        </p>
      )}
    </Line>
  );
}

const customFieldKey = (id: string): string => `${customFieldType}#${id}`;
const customFieldIn = (key: string): string | null =>
  key.startsWith(customFieldKey('')) ? key.slice(customFieldKey('').length) : null;

/** All fields, by the type of filter that they make; custom fields stand under their names. */
function FieldChoice({
  fields,
  filter,
  value,
  onChange,
}: {
  fields: readonly FilterField[];
  filter: Filter;
  value: string;
  onChange: (key: string) => void;
}) {
  const { data } = useQuery({ ...queries.get_custom_fields({}), staleTime: 60_000 });
  const custom = data?.customFields ?? [];
  const given = value.startsWith(`${customFieldType}/`) ? (customFieldOf(filter) ?? '') : undefined;
  const known = custom.find(({ id, name }) => id === given || name.toLowerCase() === given?.toLowerCase());
  const types = [...new Set(fields.map(({ type }) => type))];
  const optionsOf = (type: string) =>
    type === customFieldType
      ? [
          ...custom.map(({ id, name }) => ({ value: customFieldKey(id), label: name })),
          // A field that is not there any more, or not chosen yet.
          ...(given !== undefined && !known ? [{ value: customFieldKey(given), label: given || '…' }] : []),
        ]
      : fields.filter((one) => one.type === type).map(({ key, label }) => ({ value: key, label }));
  return (
    <Choice
      aria-label={filterText('field')}
      value={given === undefined ? value : customFieldKey(known?.id ?? given)}
      onChange={({ target }) => onChange(target.value)}
      groups={types
        .map((type) => ({ label: filterWord(type), options: optionsOf(type) }))
        .filter(({ options }) => options.length > 0)}
      className="w-48"
    />
  );
}

/** How the values of a custom field are read: as text, number or date. */
function ReadingChoice({
  fields,
  filter,
  value,
  onChange,
}: {
  fields: readonly FilterField[];
  filter: Filter;
  value: string;
  onChange: (filter: Filter) => void;
}) {
  const readings = fields.filter(({ type }) => type === customFieldType);
  const { fieldId, fieldName } = filter;
  return (
    <Choice
      aria-label={filterText('readAs')}
      value={value}
      onChange={({ target }) =>
        onChange({
          ...emptyFilter(readings.find(({ key }) => key === target.value)!.operators[0]!),
          ...(fieldId !== undefined && { fieldId }),
          ...(fieldName !== undefined && { fieldName }),
        })
      }
      options={readings.map(({ key, label }) => ({ value: key, label }))}
      className="w-36"
    />
  );
}
