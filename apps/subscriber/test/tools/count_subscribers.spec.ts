import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

describe('count_subscribers', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const count = async (input: object, by = tenant) =>
    (await harness.data<{ total: number }>('count_subscribers', input, by)).total;
  const filters = (...list: object[]) => ({ filters: list });
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    await person(harness, tenant, { email: 'a@one.example', name: 'Ann', tags: ['x'], fields: { Score: 7 } });
    await person(harness, tenant, { email: 'b@one.example', tags: ['x', 'y'], fields: { Score: 12 } });
    await person(harness, tenant, { email: 'c@two.example', name: 'Cyd' });
    await harness.data('unsubscribe', { email: 'c@two.example' }, tenant);
  });

  it('counts all subscribers, by status, by text and by filters together', async () => {
    expect(await count({})).toBe(3);
    expect(await count({ status: 'unsubscribed' })).toBe(1);
    expect(await count({ query: 'one.ex' })).toBe(2);
    const ends = { type: 'STRING', field: 'email', operator: 'ENDS_WITH', value: '@TWO.example' };
    expect(await count(filters(ends))).toBe(1);
    expect(await count({ ...filters(ends), status: 'SUBSCRIBED' })).toBe(0);
    expect(
      await count({ ...filters({ type: 'tag', operator: 'belongs_to_all', tagNames: ['X', 'y'] }), query: 'b@' }),
    ).toBe(1);
    expect(
      await count(
        filters({ type: 'FIELD', fieldName: 'score', valueType: 'number', operator: 'GREATER_THAN', value: 7 }),
      ),
    ).toBe(1);
    const any = {
      type: 'GROUP',
      match: 'ANY',
      filters: [ends, { type: 'STRING', field: 'name', operator: 'EQUALS', value: 'ann' }],
    };
    expect(await count(filters(any))).toBe(2);
    expect(await count({}, otherTenant)).toBe(0);
  });

  it('finds no subscriber created before 1970, and all of them created after a date long ago', async () => {
    const everybody = await count({});
    const created = (filter: object) => count(filters({ type: 'DATE', field: 'createdAt', ...filter }));
    // In Paris 1970 begins an hour before the first instant that an id can hold.
    expect(await created({ operator: 'BETWEEN', from: '1970-01-01', to: '2999-12-31' })).toBe(everybody);
    expect(await created({ operator: 'AFTER', date: '1900-01-01' })).toBe(everybody);
    expect(await created({ operator: 'IN_LAST', amount: 100 * 12, unit: 'MONTHS' })).toBe(everybody);
    expect(await created({ operator: 'BEFORE', date: '1950-01-01' })).toBe(0);
    expect(await created({ operator: 'NOT_IN_LAST', amount: 100 * 12, unit: 'MONTHS' })).toBe(0);
  });

  it('compares numbers however large or small they are', async () => {
    const labs = await organization(harness);
    await person(harness, labs, { email: 'a@lab.example', fields: { Dose: 0.00000025, Cells: 3e21 } });
    const field = (fieldName: string, filter: object) =>
      count(filters({ type: 'FIELD', fieldName, valueType: 'NUMBER', ...filter }), labs);
    expect(await field('dose', { operator: 'EQUALS', value: 0.00000025 })).toBe(1);
    expect(await field('dose', { operator: 'BETWEEN', min: 0.0000002, max: 0.0000003 })).toBe(1);
    expect(await field('cells', { operator: 'GREATER_THAN', value: 2e21 })).toBe(1);
  });

  it('refuses with FILTERS_INVALID, all problems at once and each at its path', async () => {
    const outcome = await harness.call(
      'count_subscribers',
      filters(
        { type: 'STRNG', field: 'email', operator: 'EQUALS', value: 'x' },
        { type: 'STRING', field: 'emial', operator: 'EQUALS', value: 'x' },
        { type: 'STRING', field: 'email', operator: 'EQUAL', value: 'x' },
        { type: 'STRING', field: 'email', operator: 'EQUALS' },
        { type: 'STRING', field: 'email', operator: 'EQUALS', value: 'x', vlaue: 1 },
        { type: 'GROUP', match: 'SOME', filters: [] },
        { type: 'GROUP', match: 'ANY', filters: [{ type: 'TAG', operator: 'BELONGS_TO_ANY' }, 7] },
        { type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['x', 'nope'], tagIds: ['tag_nope'] },
        { type: 'FIELD', fieldName: 'score', valueType: 'NUMBR', operator: 'EQUALS', value: 1 },
        { type: 'DATE', field: 'createdAt', operator: 'AFTER', date: '2024-02-30' },
      ),
      tenant,
    );
    const issues = outcome.ok ? [] : outcome.error.issues!;
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'FILTERS_INVALID', code: 'VALIDATION_ERROR' } });
    expect(issues.map(({ path }) => path.join('.'))).toEqual([
      ...['filters.0.type', 'filters.1.field', 'filters.2.operator', 'filters.3.value', 'filters.4.vlaue'],
      ...['filters.5.match', 'filters.5.filters', 'filters.6.filters.0.tagNames', 'filters.6.filters.1'],
      ...['filters.8.valueType', 'filters.9.date', 'filters.7.tagIds.0', 'filters.7.tagNames.1'],
    ]);
    expect(issues[1]!.message).toContain('did you mean email?');
    expect(issues[2]!.message).toContain('did you mean EQUALS?');
  });

  it('says with which valueType an operator goes that custom fields have only as numbers or dates', async () => {
    const above = { type: 'FIELD', fieldName: 'Score', operator: 'greater_than', value: 7 };
    const outcome = await harness.call('count_subscribers', filters(above), tenant);
    expect(outcome.ok ? '' : outcome.error.message).toContain('; GREATER_THAN goes with valueType NUMBER');
    expect(await count(filters({ ...above, valueType: 'NUMBER' }))).toBe(1);
  });

  it.each(['CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'ENDS_WITH'])(
    'refuses %s of no text at all, which would match all subscribers or none',
    async (operator) => {
      const asked = filters({ type: 'STRING', field: 'email', operator, value: '' });
      const issues = [{ path: ['filters', 0, 'value'], message: 'must have at least 1 character' }];
      expect(await harness.call('count_subscribers', asked, tenant)).toMatchObject({ ok: false, error: { issues } });
    },
  );

  it('refuses spans that end before they begin, which would match no subscriber', async () => {
    const refusal = async (span: object) => {
      const outcome = await harness.call('count_subscribers', filters({ operator: 'BETWEEN', ...span }), tenant);
      return outcome.ok ? null : outcome.error.issues;
    };
    const created = (from: string, to: string) => refusal({ type: 'DATE', field: 'createdAt', from, to });
    expect(await refusal({ type: 'NUMBER', field: 'openCount', min: 3, max: 2 })).toEqual([
      { path: ['filters', 0, 'max'], message: 'must not lie before min' },
    ]);
    expect(await created('2026-02-01', '2026-01-31')).toEqual([
      { path: ['filters', 0, 'to'], message: 'must not lie before from' },
    ]);
    expect(await created('2026-02-01T10:00:00+02:00', '2026-02-01T07:59:59Z')).not.toBeNull();
    expect(await created('2026-02-01T10:00:00+02:00', '2026-02-01T08:00:00Z')).toBeNull();
    expect(await created('2026-02-01', '2026-02-01')).toBeNull();
    expect(await refusal({ type: 'NUMBER', field: 'openCount', min: 2, max: 2 })).toBeNull();
  });

  it('compares whole values without blanks around them, as they are kept; parts of values with', async () => {
    const name = (operator: string, rest: object) => filters({ type: 'STRING', field: 'name', operator, ...rest });
    expect(await count(name('EQUALS', { value: ' ann\u00a0' }))).toBe(1);
    expect(await count(name('NOT_EQUALS', { value: 'Ann ' }))).toBe(2);
    expect(await count(name('IN', { values: ['x', ' Ann'] }))).toBe(1);
    expect(await count(name('NOT_IN', { values: ['Ann\n'] }))).toBe(2);
    expect(await count(name('CONTAINS', { value: 'nn ' }))).toBe(0);
  });

  it('refuses groups deeper than three with FILTERS_INVALID', async () => {
    const leaf = { type: 'STRING', field: 'name', operator: 'IS_EMPTY' };
    const nest = (depth: number): object =>
      depth === 0 ? leaf : { type: 'GROUP', match: 'ALL', filters: [nest(depth - 1)] };
    expect(await count(filters(nest(3)))).toBe(1);
    expect(await harness.refusal('count_subscribers', filters(nest(4)), tenant)).toBe('FILTERS_INVALID');
  });

  it('refuses names and ids of another organization like unknown ones, and never matches by them', async () => {
    const { tag } = await harness.data<{ tag: { id: string } }>('create_tag', { name: 'secret' }, otherTenant);
    for (const named of [{ tagIds: [tag.id] }, { tagNames: ['secret'] }]) {
      const filter = { type: 'TAG', operator: 'BELONGS_TO_NONE', ...named };
      expect(await harness.refusal('count_subscribers', filters(filter), tenant)).toBe('FILTERS_INVALID');
    }
  });

  it('returns FILTER_TARGET_GONE if a segment names a deleted tag, rather than a count of none or all', async () => {
    await person(harness, tenant, { email: 'd@three.example', tags: ['leaving'] });
    const leaving = { type: 'TAG', operator: 'BELONGS_TO_NONE', tagNames: ['leaving'] };
    await harness.data('create_segment', { name: 'Stayers', filters: [leaving] }, tenant);
    const stayers = filters({ type: 'SEGMENT', operator: 'INCLUDE', segmentName: 'stayers' });
    expect(await count(stayers)).toBe(3);
    await harness.dataSource('subscriber').query(`update tag set deleted_at = now() where name = 'leaving'`);
    expect(await harness.refusal('count_subscribers', stayers, tenant)).toBe('FILTER_TARGET_GONE');
  });

  it('asks the owner for campaigns, by id or by name; a name of several is refused with their ids', async () => {
    const campaign = async (name: string, by = tenant) =>
      (await harness.data<{ campaignId: string }>('create_campaign', { name, subject: 'Hello' }, by)).campaignId;
    const [spring, first, second, foreign] = [
      await campaign('Spring'),
      await campaign('Twin'),
      await campaign('TWIN'),
      await campaign('Foreign', otherTenant),
    ];
    const everybody = await count({});
    const received = (named: object) => filters({ type: 'CAMPAIGN', operator: 'NOT_RECEIVED', ...named });
    for (const named of [{ campaignId: spring }, { campaignName: ' sPRING ' }, { any: true, inLastDays: 7 }]) {
      expect(await count(received(named))).toBe(everybody);
    }
    const twins = await harness.call('count_subscribers', received({ campaignName: 'twin' }), tenant);
    expect(twins).toMatchObject({
      ok: false,
      error: {
        reason: 'FILTERS_INVALID',
        issues: [
          {
            path: ['filters', 0, 'campaignName'],
            message: `names several campaigns; say which by campaignId: ${first}, ${second}`,
          },
        ],
      },
    });
    for (const named of [
      ...[{ campaignId: foreign }, { campaignName: 'Foreign' }, { campaignId: 'nonsense' }, {}],
      ...[
        { campaignId: spring, any: true },
        { campaignId: spring, url: 'https://only.clicks.example/' },
      ],
    ]) {
      expect(await harness.refusal('count_subscribers', received(named), tenant)).toBe('FILTERS_INVALID');
    }
    const asking = () => harness.refusal('count_subscribers', received({ campaignId: spring }), tenant);
    expect(await harness.bus.without('campaign', asking)).toBe('SERVICE_UNAVAILABLE');
  });

  it('takes no value for SQL', async () => {
    const hostile = `' or true; drop table subscriber; -- $1 \\ %`;
    for (const operator of ['EQUALS', 'CONTAINS', 'STARTS_WITH']) {
      expect(await count(filters({ type: 'STRING', field: 'name', operator, value: hostile }))).toBe(0);
    }
    expect(await count({ query: hostile })).toBe(0);
    expect(await count({})).toBeGreaterThan(2);
  });
});
