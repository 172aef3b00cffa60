import { campaignFilters } from '../filter-type/campaign.js';
import { dateFilters } from '../filter-type/date.js';
import { eventFilters } from '../filter-type/event.js';
import { fieldFilters } from '../filter-type/field.js';
import { numberFilters } from '../filter-type/number.js';
import { segmentFilters } from '../filter-type/segment.js';
import { stringFilters } from '../filter-type/string.js';
import { systemFilters } from '../filter-type/system.js';
import { tagFilters } from '../filter-type/tag.js';
import { workflowFilters } from '../filter-type/workflow.js';
import type { FilterType } from './filter.js';

/** Every type, field and operator there is: the one place that decides what a filter can say. */
export const filterTypes: readonly FilterType[] = [
  stringFilters,
  numberFilters,
  dateFilters,
  tagFilters,
  fieldFilters,
  segmentFilters,
  campaignFilters,
  workflowFilters,
  eventFilters,
  systemFilters,
];

export const filterTypeByName: ReadonlyMap<string, FilterType> = new Map(filterTypes.map((one) => [one.type, one]));
