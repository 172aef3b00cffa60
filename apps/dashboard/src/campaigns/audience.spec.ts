import { describe, expect, it } from '@jest/globals';
import { isWholeAudience } from './audience.js';
import { setOrganization } from '../data/session.js';
import { keepUnfinished, unfinishedAudience } from './unfinished-audience.js';

const fields = [
  {
    key: 'STRING/city',
    type: 'STRING',
    label: 'City',
    operators: [
      {
        operator: 'EQUALS',
        params: {
          type: 'object',
          properties: {
            type: { const: 'STRING' },
            field: { const: 'city' },
            operator: { const: 'EQUALS' },
            value: { type: 'string' },
          },
          required: ['type', 'field', 'operator', 'value'],
        },
        example: { type: 'STRING', field: 'city', operator: 'EQUALS', value: 'Rome' },
      },
    ],
  },
] as unknown as Parameters<typeof isWholeAudience>[1];
const segment = { type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId: 'seg_1' };
const city = { type: 'STRING', field: 'city', operator: 'EQUALS' };

describe('isWholeAudience', () => {
  it('wants a value for each filter, and nothing more of segments', () => {
    expect(isWholeAudience([segment], fields)).toBe(true);
    expect(isWholeAudience([segment, { ...city, value: 'Rome' }], fields)).toBe(true);
    expect(isWholeAudience([segment, city], fields)).toBe(false);
    expect(isWholeAudience([{ type: 'GROUP', match: 'ANY', filters: [city] }], fields)).toBe(false);
  });

  it('takes stored filters as whole until the fields are read', () => {
    expect(isWholeAudience([{ ...city, value: 'Rome' }], null)).toBe(true);
  });
});

describe('keepUnfinished', () => {
  it('keeps filters by campaign and organization until they are whole', () => {
    setOrganization(1);
    keepUnfinished('cmp_1', [city]);
    expect(unfinishedAudience('cmp_1')).toEqual([city]);
    expect(unfinishedAudience('cmp_2')).toBeNull();
    setOrganization(2);
    expect(unfinishedAudience('cmp_1')).toBeNull();
    setOrganization(1);
    keepUnfinished('cmp_1', null);
    expect(unfinishedAudience('cmp_1')).toBeNull();
  });
});
