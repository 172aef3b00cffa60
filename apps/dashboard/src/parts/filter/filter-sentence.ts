import { filterText, filterWord } from '../../messages/en/filters.js';
import { customFieldOf, customFieldType, isGroup, operatorOf, paramsOf } from './filter.js';
import type { Filter, FilterField, FilterParam } from './filter.js';

/**
 * Filters as a sentence, such as "Country is FR and (Opens is more than 5 or Tags include any of vip)".
 * @param nameOf the name of a record by its id; the id where it is not known
 */
export function filterSentence(
  filters: readonly Filter[],
  fields: readonly FilterField[],
  nameOf: (id: string) => string = (id) => id,
  match: 'ALL' | 'ANY' = 'ALL',
): string {
  if (filters.length === 0) return filterText('everyone');
  return filters
    .map((filter) => {
      if (!isGroup(filter)) return oneSentence(filter, fields, nameOf);
      return filterText('group', { filters: filterSentence(filter.filters, fields, nameOf, filter.match) });
    })
    .join(` ${filterText(match === 'ALL' ? 'and' : 'or')} `);
}

function oneSentence(filter: Filter, fields: readonly FilterField[], nameOf: (id: string) => string): string {
  const found = operatorOf(filter, fields);
  if (!found) return JSON.stringify(filter);
  const { field, operator } = found;
  const isOfField = field.type === customFieldType;
  const params = paramsOf(operator).filter(({ noun }) => !isOfField || noun !== 'field');
  const values = params.map((param) => valueText(filter, param, nameOf));
  const label = isOfField ? customFieldLabel(filter, field, nameOf) : field.label;
  return [label, filterWord(operator.operator, field.type), ...values].filter(Boolean).join(' ');
}

/** The name of a custom field, and how its values are read where that is not as text. */
function customFieldLabel(filter: Filter, { key, label }: FilterField, nameOf: (id: string) => string): string {
  const given = customFieldOf(filter);
  const name = given === undefined ? '…' : nameOf(given);
  return key === `${customFieldType}/TEXT` ? name : filterText('reading', { name, reading: label.toLowerCase() });
}

function valueText(filter: Filter, { name, kind, isOptional }: FilterParam, nameOf: (id: string) => string): string {
  const value = filter[name] ?? filter[name.replace(/Id(s?)$/, 'Name$1')];
  if (value === undefined) return isOptional ? '' : '…';
  if (kind === 'flag') return filterWord(name);
  const text = [value]
    .flat()
    .map((one) => (kind === 'record' || kind === 'records' ? nameOf(String(one)) : String(one)));
  if (kind === 'choice') return text.map((one) => filterWord(one)).join(', ');
  return isOptional && kind === 'number' ? filterWord(name).replace('…', text[0]!) : text.join(', ');
}
