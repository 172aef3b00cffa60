import { z } from 'zod';
import type { FilterType } from '../filter/filter.js';

export const segmentFilters: FilterType = {
  type: 'SEGMENT',
  params: { segmentId: z.string().max(320).optional(), segmentName: z.string().max(320).optional() },
  targets: { kind: 'segment', ids: 'segmentId', names: 'segmentName', many: false },
  fields: [
    {
      field: 'segment',
      label: 'Segment',
      operators: [
        {
          operator: 'INCLUDE',
          includesTarget: true,
          params: {},
          example: {},
          condition: ({ targets }, scope) => scope.segment(targets[0]!),
        },
        {
          operator: 'EXCLUDE',
          params: {},
          example: {},
          condition: ({ targets }, scope) => `(${scope.segment(targets[0]!)}) is not true`,
        },
      ],
    },
  ],
};
