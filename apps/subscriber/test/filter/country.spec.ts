import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import type { Filter } from '#contracts';
import { uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';

const countries = ['FR', 'DE', 'GB', 'US', 'CI', null] as const;
const by = (operator: string, value?: string | string[]): Filter => ({
  type: 'STRING',
  field: 'country',
  operator,
  ...(Array.isArray(value) ? { values: value } : value !== undefined && { value }),
});

describe('the country of subscribers', () => {
  let harness: Harness;
  let tenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    for (const country of countries) {
      await person(harness, tenant, { email: `${country ?? 'none'}@example.com`, ...(country && { country }) });
    }
  });
  afterAll(() => harness.stop());

  const storedOf = async (email: string, { organizationId } = tenant) => {
    const text = 'select country from subscriber where organization_id = $1 and email = $2';
    const rows: { country: string | null }[] = await harness
      .dataSource('subscriber')
      .query(text, [uuidOf('org', organizationId), email]);
    return rows[0]?.country;
  };
  const matching = async (...filters: Filter[]) => {
    const request = { filters, fields: ['email'], limit: 100 };
    const page = await harness.data<{ subscribers: { email: string }[] }>('query_subscribers', request, tenant);
    return page.subscribers.map(({ email }) => email.replace('@example.com', '')).sort();
  };

  it('is stored as its alpha-2 code by add_subscriber, update_subscriber and import_subscribers', async () => {
    const other = await organization(harness);
    const email = 'doors@example.com';
    await harness.data('add_subscriber', { email, country: 'frankreich' }, other);
    expect(await storedOf(email, other)).toBe('FR');
    await harness.data('update_subscriber', { subscriber: email, country: 'GRC' }, other);
    expect(await storedOf(email, other)).toBe('GR');
    await harness.data('import_subscribers', { subscribers: [{ email, country: ' uk ' }] }, other);
    expect(await storedOf(email, other)).toBe('GB');
    await harness.data('update_subscriber', { subscriber: email, name: 'Ada' }, other);
    expect(await storedOf(email, other)).toBe('GB');
  });

  it('is refused with COUNTRY_UNKNOWN at its path if it is unknown, and nothing is stored', async () => {
    const email = 'lost@example.com';
    for (const [tool, input] of [
      ['add_subscriber', { email }],
      ['update_subscriber', { subscriber: 'FR@example.com' }],
    ] as const) {
      expect(await harness.call(tool, { ...input, country: 'Atlantis' }, tenant)).toMatchObject({
        ok: false,
        error: {
          reason: 'COUNTRY_UNKNOWN',
          code: 'VALIDATION_ERROR',
          message: expect.stringContaining('Atlantis'),
          issues: [{ path: ['country'] }],
        },
      });
    }
    expect(await storedOf(email)).toBeUndefined();
    expect(await storedOf('FR@example.com')).toBe('FR');
  });

  it('fails only its own row of an import if it is unknown', async () => {
    const subscribers = [
      { email: 'FR@example.com', country: 'France' },
      { email: 'lost@example.com', country: 'ZZ' },
    ];
    expect(await harness.data('import_subscribers', { subscribers }, tenant)).toMatchObject({
      imported: 0,
      updated: 1,
      failed: 1,
      errors: [{ row: 1, email: 'lost@example.com', code: 'COUNTRY_UNKNOWN' }],
    });
    expect(await storedOf('lost@example.com')).toBeUndefined();
  });

  it.each([
    ['EQUALS', 'fr', ['FR']],
    ['EQUALS', 'France', ['FR']],
    ['EQUALS', 'uk', ['GB']],
    ['EQUALS', "cote d'ivoire", ['CI']],
    ['EQUALS', 'Japan', []],
    ['NOT_EQUALS', 'united kingdom', ['CI', 'DE', 'FR', 'US', 'none']],
    ['CONTAINS', 'united', ['GB', 'US']],
    ['CONTAINS', 'CÔTE', ['CI']],
    ['NOT_CONTAINS', 'united', ['CI', 'DE', 'FR', 'none']],
    ['STARTS_WITH', 'ger', ['DE']],
    ['STARTS_WITH', 'F', ['FR']],
    ['ENDS_WITH', 'ANCE', ['FR']],
    ['ENDS_WITH', 'kingdom', ['GB']],
    ['IN', ['Germany', 'usa', 'Japan'], ['DE', 'US']],
    ['NOT_IN', ['Germany', 'usa'], ['CI', 'FR', 'GB', 'none']],
    ['IS_EMPTY', undefined, ['none']],
    ['IS_NOT_EMPTY', undefined, ['CI', 'DE', 'FR', 'GB', 'US']],
  ])('matches by %s %j', async (operator, value, expected) => {
    expect(await matching(by(operator, value))).toEqual(expected);
  });

  it('is refused by the tools that take filters at the path of each value that fits no country', async () => {
    const group = { type: 'GROUP', match: 'ANY', filters: [by('CONTAINS', 'qqq'), by('IN', ['FR', 'Atlantis', 'ZZ'])] };
    const filters = [by('EQUALS', 'FR'), by('NOT_EQUALS', 'Atlantis'), group];
    const { campaignId } = await harness.data<{ campaignId: string }>('create_campaign', { subject: 'Hi' }, tenant);
    for (const [tool, input] of [
      ['query_subscribers', {}],
      ['count_subscribers', {}],
      ['create_segment', { name: 'Lost' }],
      ['create_subscriber_export', {}],
      ['update_campaign_filters', { campaignId }],
    ] as const) {
      const outcome = await harness.call(tool, { ...input, filters }, tenant);
      expect(outcome).toMatchObject({ ok: false, error: { reason: 'FILTERS_INVALID', code: 'VALIDATION_ERROR' } });
      expect(outcome.ok ? [] : outcome.error.issues!.map(({ path }) => path.join('.'))).toEqual([
        'filters.1.value',
        'filters.2.filters.0.value',
        'filters.2.filters.1.values.1',
        'filters.2.filters.1.values.2',
      ]);
    }
  });

  describe('in filters saved before values had to fit', () => {
    let segmentId: string;
    const saved = [by('EQUALS', 'Oz')];
    const requests = () => harness.client(subscriberRequests);
    beforeAll(async () => {
      const segment = { name: 'Old', filters: [by('EQUALS', 'FR')] };
      ({ segmentId } = await harness.data<{ segmentId: string }>('create_segment', segment, tenant));
      const source = harness.dataSource('subscriber');
      const change = 'update segment set filters = $2 where segment_id = $1';
      await source.query(change, [uuidOf('seg', segmentId), JSON.stringify(saved)]);
      await person(harness, tenant, { email: 'oz@example.com' });
      await source.query(`update subscriber set country = 'OZ' where email = 'oz@example.com'`);
    });

    it('is compared as text, with a warning where the segment is read and recipients are counted', async () => {
      const read = await harness.data('get_segment', { segmentId }, tenant);
      expect(read).toMatchObject({ subscribersCount: 1, warnings: [expect.stringContaining('"Oz"')] });
      expect(await matching({ type: 'SEGMENT', operator: 'INCLUDE', segmentId })).toEqual(['oz']);
      const { total, warnings } = await requests().count_recipients({ filters: saved }, harness.caller(tenant));
      expect({ total, warnings }).toEqual({ total: 1, warnings: [expect.stringContaining('"Oz"')] });
    });

    it('is compared as text beside values that fit, by every operator', async () => {
      const totalOf = async (filter: Filter) =>
        (await requests().count_recipients({ filters: [filter] }, harness.caller(tenant))).total;
      expect(await totalOf(by('IN', ['Germany', 'oz']))).toBe(2);
      expect(await totalOf(by('NOT_IN', ['Germany', 'oz']))).toBe(5);
      expect(await totalOf(by('NOT_EQUALS', 'OZ'))).toBe(6);
      expect(await totalOf(by('STARTS_WITH', 'oz'))).toBe(1);
      expect(await totalOf(by('ENDS_WITH', 'qz'))).toBe(0);
    });

    it('stays while the name of the segment changes, and is refused when its filters are saved again', async () => {
      const renamed = await harness.data('update_segment', { segmentId, name: 'Older' }, tenant);
      expect(renamed).toMatchObject({ subscribersCount: 1, warnings: [expect.stringContaining('"Oz"')] });
      expect(await harness.refusal('update_segment', { segmentId, filters: saved }, tenant)).toBe('FILTERS_INVALID');
    });

    it('passes a check of stored filters with a warning, and no other check', async () => {
      const check = (stored?: boolean) => requests().check_filters({ filters: saved, stored }, harness.caller(tenant));
      expect(await check(true)).toMatchObject({ filters: saved, warnings: [expect.stringContaining('"Oz"')] });
      await expect(check()).rejects.toMatchObject({ failure: { reason: 'FILTERS_INVALID' } });
    });
  });
});
