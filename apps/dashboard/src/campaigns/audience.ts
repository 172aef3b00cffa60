import { isComplete } from '../parts/filter/filter.js';
import type { Filter, FilterField } from '../parts/filter/filter.js';

const isSegment = (filter: Filter): boolean =>
  filter.type === 'SEGMENT' && filter.operator === 'INCLUDE' && typeof filter.segmentId === 'string';

/** The filters of a campaign as its author chooses them: whole segments, and all others. */
export const audienceOf = (filters: readonly Filter[]) => ({
  segmentIds: filters.filter(isSegment).map(({ segmentId }) => String(segmentId)),
  others: filters.filter((filter) => !isSegment(filter)),
});

export const filtersOf = (segmentIds: readonly string[], others: readonly Filter[]): Filter[] => [
  ...segmentIds.map((segmentId) => ({ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId })),
  ...others,
];

/**
 * Whether each filter of an audience has its values. Segments are always whole.
 * @param fields null until they are read; stored filters are then taken as whole
 */
export const isWholeAudience = (filters: readonly Filter[], fields: readonly FilterField[] | null): boolean =>
  fields === null || audienceOf(filters).others.every((one) => isComplete(one, fields));
