import { findCountryCode, listCountryCodes } from '#country';
import type { FilterField, FilterOperator } from '../filter/filter.js';
import { textOperators } from './comparison.js';

/** The countries that a text means to an operator; empty if it means none. */
type CodesOf = (text: string) => string[];

const whole: CodesOf = (text) => [findCountryCode(text) ?? []].flat();
const anywhere: CodesOf = (text) => listCountryCodes('anywhere', text);

const codesByOperator: Readonly<Record<string, CodesOf>> = {
  EQUALS: whole,
  NOT_EQUALS: whole,
  IN: whole,
  NOT_IN: whole,
  CONTAINS: anywhere,
  NOT_CONTAINS: anywhere,
  STARTS_WITH: (text) => listCountryCodes('start', text),
  ENDS_WITH: (text) => listCountryCodes('end', text),
};

/** A stored value that means no country stays text. */
function byCodes(operator: FilterOperator): FilterOperator {
  const codesOf = codesByOperator[operator.operator];
  if (!codesOf) return operator;
  const read = ({ value, values }: Record<string, unknown>) =>
    [values ?? value].flat().map((one) => ({ text: String(one), codes: codesOf(String(one)) }));
  return {
    ...operator,
    problems: (params) =>
      read(params).flatMap(({ text, codes }, place) => {
        const path = params.values === undefined ? ['value'] : ['values', place];
        const message = `fits no country: "${text.slice(0, 80)}"; give an ISO 3166-1 code or an English name`;
        return codes.length > 0 ? [] : [{ path, message }];
      }),
    condition: (leaf, scope) => {
      const wanted = read(leaf.params);
      if (wanted.every(({ codes }) => codes.length === 0)) return operator.condition(leaf, scope);
      const all = wanted.flatMap(({ text, codes }) => (codes.length > 0 ? codes : text.trim().toUpperCase()));
      const matches = `s.country = any(${scope.bind([...new Set(all)], 'text[]')})`;
      return operator.operator.startsWith('NOT_') ? `(${matches}) is not true` : matches;
    },
  };
}

/** The country, stored as a code; every operator compares by code or English name. */
export const countryField: FilterField = {
  field: 'country',
  label: 'Country, by ISO 3166-1 code or English name',
  operators: textOperators(() => 's.country', 'FR').map(byCodes),
};
