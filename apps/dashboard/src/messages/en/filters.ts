import { defineTexts } from '../text.js';

/** Fields, operators and values come from the API; only their words stand here. */
export const filterText = defineTexts('filters', {
  add: 'Add filter',
  addGroup: 'Add group',
  remove: 'Remove filter',
  removeGroup: 'Remove group',
  where: 'Where',
  and: 'and',
  or: 'or',
  match: 'Match',
  ANY: 'any of these',
  ALL: 'all of these',
  field: 'Field',
  operator: 'Operator',
  values: 'Values, with commas between',
  any: 'any',
  yes: 'yes',
  everyone: 'All subscribers',
  incomplete: 'Fill in what is missing, then the count appears.',
  counting: 'Counting …',
  matches: { one: '{count} subscriber matches', other: '{count} subscribers match' },
  matchesMinimum: 'more than {count} subscribers match',
  examples: 'For example',
  unknown: 'This filter is not in the list of this server: {json}',
  group: '({filters})',
  list: '{first} {word} {rest}',
});

const words = {
  EQUALS: 'is',
  NOT_EQUALS: 'is not',
  CONTAINS: 'contains',
  NOT_CONTAINS: 'does not contain',
  STARTS_WITH: 'starts with',
  ENDS_WITH: 'ends with',
  IN: 'is one of',
  NOT_IN: 'is none of',
  IS_EMPTY: 'is empty',
  IS_NOT_EMPTY: 'is not empty',
  GREATER_THAN: 'is more than',
  GREATER_OR_EQUAL: 'is at least',
  LESS_THAN: 'is less than',
  LESS_OR_EQUAL: 'is at most',
  BETWEEN: 'is between',
  BEFORE: 'is before',
  AFTER: 'is after',
  IN_LAST: 'is in the last',
  NOT_IN_LAST: 'is not in the last',
  BELONGS_TO_ANY: 'include any of',
  BELONGS_TO_ALL: 'include all of',
  BELONGS_TO_NONE: 'include none of',
  'WORKFLOW/IN': 'is in progress:',
  'WORKFLOW/NOT_IN': 'is not in progress:',
  STRING: 'Profile',
  NUMBER: 'Numbers',
  DATE: 'Dates',
  TAG: 'Tags',
  FIELD: 'Custom field',
  EVENT: 'Event',
  SYSTEM: 'System',
  inLastDays: 'in the last … days',
  minCount: 'at least … times',
  amount: 'Number',
  unit: 'Unit',
  min: 'From',
  max: 'To',
  from: 'From',
  to: 'To',
};

export const filterWordText = defineTexts('filterWords', words);

const isWord = (name: string): name is keyof typeof words => Object.hasOwn(words, name);

/** The word for a name of the API; one that is not known is made readable, such as "NEVER_ENTERED" → "never entered". */
export function filterWord(name: string, type = ''): string {
  const own = `${type}/${name}`;
  if (isWord(own)) return filterWordText(own);
  if (isWord(name)) return filterWordText(name);
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}
