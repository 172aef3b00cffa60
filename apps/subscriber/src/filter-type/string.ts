import type { FilterField, FilterType } from '../filter/filter.js';
import { textOperators } from './comparison.js';
import { countryField } from './country.js';

const column = (field: string, label: string, example: string): FilterField => ({
  field,
  label,
  operators: textOperators(() => `s.${field}`, example),
});

export const stringFilters: FilterType = {
  type: 'STRING',
  fields: [
    column('email', 'Email address', 'ada@example.com'),
    column('name', 'Name', 'Ada'),
    column('phone', 'Phone number', '+33123456789'),
    countryField,
  ],
};
