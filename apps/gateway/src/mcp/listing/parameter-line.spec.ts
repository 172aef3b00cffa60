import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { jsonSchema } from '../../tool/tool-listing.js';
import { parameterLine } from './parameter-line.js';

describe('parameters in one line', () => {
  it('have their names, types, values and defaults', () => {
    const input = z.strictObject({
      campaignId: z.string().max(320),
      limit: z.int().min(1).max(10).default(5),
      format: z.enum(['html', 'text']).optional(),
      emails: z.array(z.string()).min(1),
      groupId: z.union([z.string(), z.null()]),
      content: z.unknown().optional(),
      fields: z.record(z.string(), z.number()).optional(),
      deleted: z.literal(true),
    });
    expect(parameterLine(jsonSchema(input))).toBe(
      'campaignId: text, limit?: integer = 5, format?: html|text, emails: text[], groupId: text|null, content?: any, ' +
        'fields?: object, deleted: true',
    );
  });

  it('name at most twelve values', () => {
    const many = z.strictObject({ type: z.enum(Array.from({ length: 13 }, (_, n) => `T${n}`)) });
    expect(parameterLine(jsonSchema(many))).toBe('type: text');
  });
});
