import { describe, expect, it } from '@jest/globals';
import { bounceCategory } from '#contracts';
import { stepSchemas } from '../apps/workflow/src/rules/graph/step-schemas.js';
import { skipReasons } from '../apps/workflow/src/rules/enrolment.js';
import { listFilters } from '../apps/subscriber/src/filter/list-filters.js';
import { texts } from '../apps/dashboard/src/messages/de/all.js';

interface Schema {
  const?: unknown;
  enum?: string[];
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

/** Properties of a schema and of its variants; an event inside is a schema of its own. */
const propertiesOf = ({ properties = {}, oneOf = [], anyOf = [] }: Schema): [string, Schema][] => [
  ...Object.entries(properties).flatMap(([name, schema]): [string, Schema][] => [
    [name, schema],
    ...(name === 'event' ? propertiesOf(schema) : []),
  ]),
  ...[...oneOf, ...anyOf].flatMap(propertiesOf),
];

/** Words of filters as the API lists them: types, operators, names of values, choices. */
const filterWords = (): string[] => {
  const listed = listFilters(new Map());
  const operators = listed.flatMap(({ fields }) => fields.flatMap((field) => field.operators));
  const params = operators.flatMap((one) => Object.entries((one.params as Schema).properties ?? {}));
  const free = params.filter(([name, schema]) => schema.const === undefined && !/Names?$/.test(name));
  return [
    ...listed.map(({ type }) => type),
    ...operators.map(({ operator }) => operator),
    // A record goes by its noun.
    ...free.map(([name]) => name.replace(/Ids?$/, '')),
    ...free.flatMap(([, schema]) => schema.enum ?? []),
  ];
};

const missing = (noun: keyof typeof texts, words: Iterable<string>): string[] =>
  [...new Set(words)].filter((word) => !Object.hasOwn(texts[noun], word));

describe('values of the API that screens show', () => {
  it('have words for each type, operator, value and choice of filters', () => {
    expect(missing('filterWords', filterWords())).toEqual([]);
  });

  it('have words for each field of filters', () => {
    const fields = listFilters(new Map()).flatMap(({ type, fields: all }) =>
      all.map(({ field }) => `${type}/${field}`),
    );
    expect(missing('filterFields', fields)).toEqual([]);
  });

  it('have words for each reason why a subscriber is not enrolled', () => {
    expect(missing('reasonWords', Object.keys(skipReasons))).toEqual([]);
  });

  it('have words for each class of bounces', () => {
    expect(missing('reasonWords', bounceCategory.options)).toEqual([]);
  });

  it('have words for each field of steps, and for each kind and unit', () => {
    const properties = stepSchemas.filter(({ type }) => type !== 'EMAIL').flatMap(({ config }) => propertiesOf(config));
    const words = properties.flatMap(([name, { const: only, enum: choices = [] }]) => [
      `field.${name}`,
      ...[...choices, ...(only === undefined ? [] : [String(only)])].map((one) =>
        name === 'unit' ? `unit.${one}` : `kind.${one}`,
      ),
    ]);
    expect(missing('steps', words)).toEqual([]);
    expect(
      missing(
        'steps',
        stepSchemas.map(({ type }) => `type.${type}`),
      ),
    ).toEqual([]);
  });
});
