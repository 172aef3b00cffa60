import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';

interface Page {
  events: { id: string; type: string; createdAt: string }[];
  counts?: Record<string, number>;
  nextCursor: string | null;
}

describe('search_subscriber_events', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  const email = 'ada@example.com';
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    await person(harness, tenant, { email, tags: ['first'] });
    await harness.data('unsubscribe', { email, reason: 'too many mails' }, tenant);
    await harness.data('update_subscriber', { subscriber: email, tags: ['second'] }, tenant);
  });
  afterAll(() => harness.stop());
  const search = (asked: object) => harness.data<Page>('search_subscriber_events', { email, ...asked }, tenant);
  const typesOf = ({ events }: Page) => events.map(({ type }) => type);

  it('lists the history in both orders, at once and page by page', async () => {
    const all = await search({});
    expect(all.nextCursor).toBeNull();
    const ascending = await search({ order: 'ASC' });
    expect(ascending.events).toEqual([...all.events].reverse());
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page = await search({ order: 'ASC', limit: 1, ...(cursor && { cursor }) });
      ids.push(...page.events.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(ids).toEqual(ascending.events.map(({ id }) => id));
  });

  it('narrows by types, text and time, and counts the result by type', async () => {
    const found = await search({ eventTypes: ['TAG_ADDED', 'UNSUBSCRIBED'], counts: true, limit: 1 });
    expect(found.events).toHaveLength(1);
    expect(found.counts).toEqual({ TAG_ADDED: 2, UNSUBSCRIBED: 1 });
    expect(typesOf(await search({ query: 'TOO MANY' }))).toEqual(['UNSUBSCRIBED']);
    const [newest] = (await search({})).events;
    expect(typesOf(await search({ from: newest!.createdAt }))).toContain(newest!.type);
    expect(typesOf(await search({ from: '2020-01-01T00:00:00Z', to: '2999-12-31T23:59:00+02:00' }))).toContain(
      newest!.type,
    );
    expect(typesOf(await search({ from: '2999-12-31T23:59:00+02:00' }))).toEqual([]);
    expect(typesOf(await search({ to: '2020-01-01T00:00:00.000Z' }))).toEqual([]);
  });

  it('refuses a wrong cursor with PARAMETERS_INVALID', async () => {
    expect(await harness.refusal('search_subscriber_events', { email, cursor: 'x' }, tenant)).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('refuses no identifier, two that disagree, and subscribers of another organization', async () => {
    const two = await person(harness, tenant, { email: 'two@example.com' });
    const refusal = (who: object, by = tenant) => harness.refusal('search_subscriber_events', who, by);
    expect(await refusal({})).toBe('IDENTIFIER_MISSING');
    expect(await refusal({ subscriberId: two.id, email })).toBe('IDENTIFIERS_DISAGREE');
    expect(await refusal({ subscriberId: newId('sub') })).toBe('SUBSCRIBER_NOT_FOUND');
    for (const who of [{ subscriberId: two.id }, { email }])
      expect(await refusal(who, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
  });
});
