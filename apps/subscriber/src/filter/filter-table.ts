import { segmentFilters } from '../filter-type/segment.js';
import { stringFilters } from '../filter-type/string.js';
import { tagFilters } from '../filter-type/tag.js';
import type { FilterType } from './filter.js';

/** Every type, field and operator there is: the one place that decides what a filter can say. */
export const filterTypes: readonly FilterType[] = [stringFilters, tagFilters, segmentFilters];

export const filterTypeByName: ReadonlyMap<string, FilterType> = new Map(filterTypes.map((one) => [one.type, one]));
