import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ToolError } from '../envelope/tool-error.js';
import { closestName } from './closest-name.js';
import { parseInput } from './parse-input.js';

const schema = z.strictObject({
  name: z.string().trim().min(1).max(5),
  phone: z.string().nullish(),
  status: z.enum(['SUBSCRIBED', 'ALL']).default('ALL'),
  limit: z.int().min(1).max(100).default(50),
  tags: z.array(z.string()).optional(),
});

const issuesOf = (body: unknown, by: z.ZodType = schema) => {
  try {
    parseInput(by, body);
    return [];
  } catch (error) {
    return (error as ToolError).issues!.map(({ path, message }) => `${path.join('.')}: ${message}`);
  }
};

describe('parseInput', () => {
  it('applies defaults and takes enum values in any case', () => {
    expect(parseInput(schema, { name: 'a', status: 'subscribed' })).toEqual({
      name: 'a',
      status: 'SUBSCRIBED',
      limit: 50,
    });
  });

  it('takes enum values in any case within objects and lists too', () => {
    const inner = z.looseObject({ reentry: z.enum(['ONCE', 'ALWAYS']).optional() });
    const nested = z.strictObject({ settings: inner.optional(), rows: z.array(inner.nullish()).optional() });
    const given = { settings: { reentry: 'once', other: 'once' }, rows: [{ reentry: 'Always' }, null] };
    expect(parseInput(nested, given)).toEqual({
      settings: { reentry: 'ONCE', other: 'once' },
      rows: [{ reentry: 'ALWAYS' }, null],
    });
  });

  it('says in words what a number must be', () => {
    expect(issuesOf({ name: 'a', limit: 10.5 })).toEqual(['limit: must be an integer, not a fraction']);
    expect(issuesOf({ name: 'a', limit: '10' })).toEqual(['limit: must be a number, not a string']);
  });

  it('describes the allowed forms of a value, and the mistake in the given form', () => {
    const forms = z.strictObject({
      value: z.union([z.string().max(3), z.number(), z.null()]).optional(),
      to: z.union([z.string(), z.array(z.string().min(2)).length(1)]).optional(),
      address: z.union([z.ipv4(), z.ipv6()], 'must be an IPv4 or IPv6 address').optional(),
      either: z.union([z.string().min(2), z.string().regex(/x/)]).optional(),
      fields: z.record(z.string().min(1), z.string()).optional(),
    });
    const said = (body: unknown) => issuesOf(body, forms);
    expect(said({ value: [] })).toEqual(['value: must be a string, a number or null, not an array']);
    expect(said({ value: 'four' })).toEqual(['value: must have at most 3 characters']);
    expect(said({ to: ['a'] })).toEqual(['to.0: must have at least 2 characters']);
    expect(said({ to: 7 })).toEqual(['to: must be a string or an array, not a number']);
    expect(said({ address: '999.1.1.1' })).toEqual(['address: must be an IPv4 or IPv6 address']);
    expect(said({ address: 1 })).toEqual(['address: must be a string, not a number']);
    expect(said({ either: 'a' })).toEqual(['either: has none of the accepted forms']);
    expect(said({ fields: { '': 'x' } })).toEqual(['fields.: has a name that must have at least 1 character']);
    expect(said({ fields: 'x' })).toEqual(['fields: must be an object, not a string']);
  });

  it('takes null for an optional parameter as omitted, and keeps it where it clears', () => {
    expect(parseInput(schema, { name: 'a', tags: null, limit: null, phone: null })).toEqual({
      name: 'a',
      phone: null,
      status: 'ALL',
      limit: 50,
    });
    expect(issuesOf({ name: null })).toEqual(['name: must be a string, not null']);
  });

  it.each<unknown>([{ toString: 1 }, { valueOf: 1 }, [], null, 'x', true])(
    'says of an object with the length %j where text or a list belongs that its type is wrong',
    (length) => {
      const odd = { length };
      const schema = z.strictObject({
        text: z.string().min(1).max(5),
        list: z.array(z.string()).max(3),
        any: z.unknown(),
      });
      expect(issuesOf({ text: odd, list: odd, any: odd }, schema)).toEqual([
        'text: must be a string, not an object',
        'list: must be an array, not an object',
      ]);
    },
  );

  it('lists every problem at once', () => {
    expect(issuesOf({ name: 'too long', limit: 101, status: 'x', tags: 'news' })).toEqual([
      'name: must have at most 5 characters',
      'status: must be one of SUBSCRIBED, ALL, not "x"',
      'limit: must be at most 100',
      'tags: must be an array, not a string',
    ]);
  });

  it('reports every missing value as required', () => {
    const needy = z.strictObject({ kind: z.enum(['A', 'B']), id: z.union([z.string(), z.int()]), name: z.string() });
    expect(() => parseInput(needy, {})).toThrow('kind: is required; id: is required; name: is required.');
  });

  it('says one thing of a value of another type, and what the contract says of one in none of its forms', () => {
    const one = z.union([z.string(), z.array(z.string()).length(1)], { error: 'must be one address' });
    const lists = z.strictObject({ emails: z.array(z.string()).min(1).max(5), to: one.optional() });
    expect(() => parseInput(lists, { emails: 'ada@example.com', to: ['a', 'b'] })).toThrow(
      'emails: must be an array, not a string; to: must be one address.',
    );
    expect(() => parseInput(z.strictObject({ to: one }), {})).toThrow('to: is required.');
  });

  it('names the forms an object may have, and the parameters of the one it says', () => {
    const one = z.strictObject({ kind: z.literal(['CALL', 'MAIL']), to: z.string() });
    const schema = z.strictObject({
      steps: z.array(z.discriminatedUnion('kind', [one, z.strictObject({ kind: z.literal('WAIT'), days: z.int() })])),
    });
    const stepOf = (step: object) => () => parseInput(schema, { steps: [step] });
    expect(stepOf({ kind: 'MIAL' })).toThrow('steps[0].kind: must be one of CALL, MAIL, WAIT.');
    expect(stepOf({})).toThrow('steps[0].kind: is required: one of CALL, MAIL, WAIT.');
    expect(stepOf({ kind: 'WAIT', days: 1, too: 'x' })).toThrow('steps[0].too: unknown parameter (known: kind, days).');
    expect(stepOf({ kind: 'MAIL', too: 'x' })).toThrow('steps[0].too: unknown parameter; did you mean to?');
    const headers = z.record(z.string().regex(/^[a-z]+$/, 'is no name of a header'), z.string());
    expect(() => parseInput(z.strictObject({ headers }), { headers: { 'A B': '' } })).toThrow(
      'headers.A B: has a name that is no name of a header.',
    );
  });

  it('suggests the known parameter, and then does not also call it missing', () => {
    expect(issuesOf({ nmae: 'a' })).toEqual(['nmae: unknown parameter; did you mean name?']);
    const ids = z.strictObject({ id: z.string(), url: z.string(), campaignUrl: z.string().optional() });
    expect(() => parseInput(ids, { campaignId: 'cmp_1', imageUrl: 'x' })).toThrow(
      'campaignId: unknown parameter; did you mean id?; imageUrl: unknown parameter; did you mean url?',
    );
    const long = z.strictObject({ campaignId: z.string() });
    expect(() => parseInput(long, { id: 'cmp_1' })).toThrow('id: unknown parameter; did you mean campaignId?');
  });

  it('names the known parameters once where none is near', () => {
    expect(issuesOf({ name: 'a', zzz: 1, yyy: 2 })).toEqual([
      'zzz: unknown parameter (known: name, phone, status, limit, tags)',
      'yyy: unknown parameter',
    ]);
    const nested = z.strictObject({ rows: z.array(z.strictObject({ email: z.string().optional() })) });
    expect(() => parseInput(nested, { rows: [{ zzz: 1 }] })).toThrow('rows[0].zzz: unknown parameter (known: email).');
    expect(() => parseInput(z.strictObject({}), { zzz: 1 })).toThrow('zzz: unknown parameter.');
  });

  it('names the first 50 problems of a body full of them', () => {
    const keys = Array.from({ length: 10_000 }, (_, n) => [`key${n}`, n]);
    const unknown = issuesOf({ name: 'a', ...Object.fromEntries(keys) });
    expect([unknown.length, unknown.at(-1)]).toEqual([50, 'key49: unknown parameter']);
    const tags = issuesOf({ name: 'a', tags: keys.map(([, n]) => n) });
    expect([tags.length, tags.at(-1)]).toEqual([50, 'tags.49: must be a string, not a number']);
  });

  it('refuses input that is not an object, and ignores prototype names', () => {
    expect(issuesOf([])).toEqual([': must be an object, not an array']);
    expect(issuesOf(JSON.parse('{"name":"a","__proto__":{"limit":5}}'))).toEqual([
      '__proto__: unknown parameter (known: name, phone, status, limit, tags)',
    ]);
    expect(issuesOf({ name: 'a', constructor: 1 })[0]).toContain('constructor: unknown parameter');
  });
});

describe('nearest', () => {
  it('forgives slips, case and underscores, but not other words', () => {
    expect(closestName('lits_tags', ['list_tags', 'create_tag'])).toBe('list_tags');
    expect(closestName('subscriber_id', ['subscriberId', 'email'])).toBe('subscriberId');
    expect(closestName('banana', ['list_tags'])).toBeNull();
  });
});
