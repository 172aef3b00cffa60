import { describe, expect, it } from '@jest/globals';
import { choicesOf, examplesOf, fieldTarget, isSameMapping, mappingOf } from './mapping.js';
import type { ImportColumn } from './mapping.js';

const columns = ['Email', 'City', 'Since', 'Notes'];
const mapping: ImportColumn[] = [
  { column: 'Email', to: 'email' },
  { column: 'City', to: 'field', field: 'Town' },
  { column: 'Since', to: 'field', field: 'Since', type: 'DATE', format: 'dmy' },
];

describe('the mapping of a file', () => {
  it('becomes one choice a column, and the same mapping again', () => {
    const choices = choicesOf(columns, mapping);
    expect(choices).toEqual([
      { target: 'email', type: 'TEXT' },
      { target: fieldTarget('Town'), type: 'TEXT' },
      { target: fieldTarget('Since'), type: 'DATE dmy' },
      { target: '', type: 'TEXT' },
    ]);
    expect(mappingOf(columns, choices)).toEqual(mapping);
    expect(isSameMapping(mappingOf(columns, choices), mapping)).toBe(true);
  });

  it('differs by target, type and format, and not by a type that is the default', () => {
    const [email, city, since] = mapping as [ImportColumn, ImportColumn, ImportColumn];
    expect(isSameMapping(mapping, [email, { ...city, type: 'TEXT' }, since])).toBe(true);
    expect(isSameMapping(mapping, [email, city, { ...since, format: 'mdy' }])).toBe(false);
    expect(isSameMapping(mapping, [email, city])).toBe(false);
  });

  it('shows the first different values of a column', () => {
    const rows = ['Rome', '', 'Rome', ' Oslo ', 'Kyiv', 'Lima'].map((city) => ['a@example.com', city]);
    expect(examplesOf({ columns, mapping, rows }, 1)).toEqual(['Rome', 'Oslo', 'Kyiv']);
    expect(examplesOf({ columns, mapping, rows }, 3)).toEqual([]);
  });
});
