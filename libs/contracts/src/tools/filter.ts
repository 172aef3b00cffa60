import { z } from 'zod';
import { filter } from '../common.js';
import { defineTools } from '../define.js';

const jsonSchema = z.record(z.string(), z.unknown());

export const filterTools = defineTools('subscriber', {
  get_available_filters: {
    summary: 'Lists all filter types with their fields and operators, and the JSON Schema of each filter.',
    category: 'campaigns',
    scope: 'read',
    rules: [
      'Campaigns, segments, subscriber queries, exports and workflows accept the same filters.',
      'A list of filters is combined with AND; group describes how to combine with OR.',
      'Examples use records of the organization where it has any.',
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
    core: true,
    keywords:
      'criteria, conditions, rules for choosing people, what can I filter by, operators, targeting options, how to select, which rules build an audience, who to choose',
    example: {},
  },
});
