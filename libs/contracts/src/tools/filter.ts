import { z } from 'zod';
import { filter } from '../common.js';
import { defineTools } from '../define.js';

const jsonSchema = z.record(z.string(), z.unknown());

export const filterTools = defineTools('subscriber', {
  get_available_filters: {
    summary:
      'Tells every filter there is: types, their fields, operators, and for each the JSON Schema of the whole filter.',
    category: 'campaigns',
    scope: 'read',
    rules: [
      'The same filters work in campaigns, segments, subscriber queries, exports and workflows.',
      'A list of filters is combined with AND; group says how to combine with OR.',
      'Examples name records of the organization where it has any.',
    ],
    input: z.strictObject({}),
    output: z.object({
      filters: z.array(
        z.object({
          type: z.string(),
          fields: z.array(
            z.object({
              field: z.string(),
              label: z.string(),
              operators: z.array(z.object({ operator: z.string(), params: jsonSchema, example: filter })),
            }),
          ),
        }),
      ),
      group: z.object({ depthMax: z.int(), params: jsonSchema, example: filter }),
    }),
    errors: [],
    transaction: 'read',
    example: {},
  },
});
