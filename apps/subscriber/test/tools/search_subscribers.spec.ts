import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

interface Page {
  subscribers: Subscriber[];
  total: number;
  counts?: Record<string, number>;
  nextCursor: string | null;
}

describe('search_subscribers', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    for (const name of ['mia', 'ada', 'zoe', 'bob'])
      await person(harness, tenant, { email: `${name}@example.com`, name, tags: name === 'bob' ? [] : ['club'] });
    await harness.data('unsubscribe', { email: 'zoe@example.com' }, tenant);
    await person(harness, otherTenant, { email: 'eve@example.com', tags: ['club'] });
  });
  afterAll(() => harness.stop());
  const search = (asked: object, by = tenant) => harness.data<Page>('search_subscribers', asked, by);
  const namesOf = ({ subscribers }: Page) => subscribers.map(({ name }) => name);

  /** All pages of a search, one subscriber each. */
  async function paged(asked: object): Promise<(string | null)[]> {
    const names: (string | null)[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page = await search({ ...asked, limit: 1, ...(cursor && { cursor }) });
      names.push(...namesOf(page));
      cursor = page.nextCursor;
    }
    return names;
  }

  it.each([
    [{}, ['bob', 'zoe', 'ada', 'mia']],
    [{ order: 'ASC' }, ['mia', 'ada', 'zoe', 'bob']],
    [{ sort: 'email', order: 'ASC' }, ['ada', 'bob', 'mia', 'zoe']],
    [{ sort: 'email' }, ['zoe', 'mia', 'bob', 'ada']],
    [{ sort: 'email', order: 'ASC', tag: 'CLUB' }, ['ada', 'mia', 'zoe']],
    [{ order: 'ASC', tag: 'club' }, ['mia', 'ada', 'zoe']],
    [{ sort: 'email', status: 'SUBSCRIBED', query: 'a' }, ['mia', 'bob', 'ada']],
  ])('%j lists %j, at once and page by page', async (asked, names) => {
    expect(namesOf(await search(asked))).toEqual(names);
    expect(await paged(asked)).toEqual(names);
  });

  it('applies filters', async () => {
    const filters = [{ type: 'STRING', field: 'email', operator: 'STARTS_WITH', value: 'a' }];
    expect(namesOf(await search({ filters, sort: 'email' }))).toEqual(['ada']);
  });

  it('counts by status beside the status that it lists', async () => {
    const { counts, total } = await search({ status: 'UNSUBSCRIBED', counts: true });
    expect({ total, counts }).toMatchObject({ total: 1, counts: { SUBSCRIBED: 3, UNSUBSCRIBED: 1, BANNED: 0 } });
    const narrowed = await search({ status: 'UNSUBSCRIBED', tag: 'club', counts: true });
    expect(narrowed.counts).toEqual({ SUBSCRIBED: 2, UNSUBSCRIBED: 1 });
    expect(await search({})).not.toHaveProperty('counts');
  });

  it('refuses wrong filters, tags that do not exist, and cursors of another sort', async () => {
    const refusal = (asked: object, by = tenant) => harness.refusal('search_subscribers', asked, by);
    expect(await refusal({ filters: [{ type: 'STRING', field: 'email', operator: 'LIKE' }] })).toBe('FILTERS_INVALID');
    expect(await refusal({ tag: 'no such tag' })).toBe('TAG_NOT_FOUND');
    expect(await refusal({ sort: 'email', cursor: 'no address' })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ cursor: 'ada@example.com' })).toBe('PARAMETERS_INVALID');
  });

  it('refuses filters with a deleted segment with FILTER_TARGET_GONE or FILTERS_INVALID', async () => {
    const { segmentId } = await harness.data<{ segmentId: string }>('create_segment', { name: 'Gone' }, tenant);
    await harness.data('delete_segment', { segmentId }, tenant);
    const filters = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId }];
    expect(['FILTER_TARGET_GONE', 'FILTERS_INVALID']).toContain(
      await harness.refusal('search_subscribers', { filters }, tenant),
    );
  });

  it('never lists subscribers of another organization, also after a cursor of it', async () => {
    expect(namesOf(await search({ tag: 'club' }, otherTenant))).toEqual([null]);
    const { nextCursor } = await search({ sort: 'email', limit: 1, order: 'ASC' });
    const { subscribers } = await search({ sort: 'email', order: 'ASC', cursor: nextCursor! }, otherTenant);
    expect(subscribers.map(({ email }) => email)).toEqual(['eve@example.com']);
  });
});
