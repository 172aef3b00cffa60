import { z } from 'zod';
import type { FilterField, FilterType } from '../filter/filter.js';
import { emptiness, textOperators } from './comparison.js';
import type { Expression } from './comparison.js';
import { dateOperators, instants } from './date.js';
import { numberOperators } from './number.js';

const value: Expression = ({ targets }, scope) => `s.custom ->> ${scope.bind(targets[0]!.key, 'text')}`;
/** What does not parse is null, and so meets no comparison. */
const asNumber: Expression = (leaf, scope) => `text_number(${value(leaf, scope)})`;
const asInstant: Expression = (leaf, scope) => `text_instant(${value(leaf, scope)}, ${scope.bind(scope.zone, 'text')})`;

const readings: FilterField[] = [
  { field: 'TEXT', label: 'As text', operators: textOperators((...of) => `(${value(...of)})`, 'Paris') },
  {
    field: 'NUMBER',
    label: 'As a number',
    operators: [
      ...numberOperators(asNumber, { missing: (...of) => `(${value(...of)}) is null` }),
      ...emptiness((...of) => `(${value(...of)})`),
    ],
  },
  {
    field: 'DATE',
    label: 'As a date',
    operators: dateOperators({ ...instants(asInstant), value: (...of) => `(${value(...of)})` }),
  },
];

export const fieldFilters: FilterType = {
  type: 'FIELD',
  params: {
    fieldId: z.string().max(320).optional(),
    fieldName: z.string().max(320).optional(),
    valueType: z.enum(['TEXT', 'NUMBER', 'DATE']).default('TEXT'),
  },
  targets: { kind: 'field', ids: 'fieldId', names: 'fieldName', many: false },
  fields: readings,
  fieldParam: { name: 'valueType', byDefault: 'TEXT' },
};
