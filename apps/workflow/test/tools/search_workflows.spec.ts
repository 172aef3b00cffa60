import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { waiting } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

interface Page {
  workflows: { id: string; name: string; status: string }[];
  total: number;
  counts?: Record<string, number>;
  nextCursor: string | null;
}

let fixture: WorkflowFixture;
let groupId: string;
beforeAll(async () => {
  fixture = await isolatedFixture();
  for (const name of ['beta', 'Alpha', 'gamma / one']) await fixture.create(name);
  const live = await fixture.live(waiting(), 'Delta');
  const { group } = await fixture.harness.data<{ group: { id: string } }>(
    'create_workflow_group',
    { name: 'Series' },
    fixture.tenant,
  );
  groupId = group.id;
  await fixture.setGroup(live, groupId);
});

describe('search_workflows', () => {
  const search = (asked: object, tenant = fixture.tenant) =>
    fixture.harness.data<Page>('search_workflows', asked, tenant);
  const namesOf = ({ workflows }: Page) => workflows.map(({ name }) => name);

  async function paged(asked: object): Promise<string[]> {
    const names: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page = await search({ ...asked, limit: 1, ...(cursor && { cursor }) });
      names.push(...namesOf(page));
      cursor = page.nextCursor;
    }
    return names;
  }

  it.each([
    [{}, ['Delta', 'gamma / one', 'Alpha', 'beta']],
    [{ order: 'ASC' }, ['beta', 'Alpha', 'gamma / one', 'Delta']],
    [{ sort: 'name', order: 'ASC' }, ['Alpha', 'beta', 'Delta', 'gamma / one']],
    [{ sort: 'name' }, ['gamma / one', 'Delta', 'beta', 'Alpha']],
    [{ sort: 'updatedAt', statuses: ['DRAFT'] }, ['gamma / one', 'Alpha', 'beta']],
    [{ query: 'ET', sort: 'name' }, ['beta']],
  ])('%j lists %j, at once and page by page', async (asked, names) => {
    expect(namesOf(await search(asked))).toEqual(names);
    expect(await paged(asked)).toEqual(names);
  });

  it('narrows to a group or to workflows without one, and counts by status', async () => {
    expect(namesOf(await search({ groupId }))).toEqual(['Delta']);
    expect(namesOf(await search({ groupId: null, sort: 'name' }))).toEqual(['gamma / one', 'beta', 'Alpha']);
    expect(await search({ statuses: ['ACTIVE'], counts: true })).toMatchObject({
      total: 1,
      counts: { DRAFT: 3, ACTIVE: 1 },
    });
  });

  it('refuses unknown groups, and cursors of another sort', async () => {
    expect(await fixture.refusal('search_workflows', { groupId: newId('wfg') })).toBe('WORKFLOW_GROUP_NOT_FOUND');
    for (const cursor of ['x', `x/${newId('wf')}`, `/${groupId}`])
      expect(await fixture.refusal('search_workflows', { cursor })).toBe('PARAMETERS_INVALID');
    const cursor = `today/${newId('wf')}`;
    expect(await fixture.refusal('search_workflows', { sort: 'updatedAt', cursor })).toBe('PARAMETERS_INVALID');
  });

  it('finds nothing of another organization', async () => {
    expect(await search({}, fixture.otherTenant)).toMatchObject({ workflows: [], total: 0 });
    expect(await fixture.refusal('search_workflows', { groupId }, fixture.otherTenant)).toBe(
      'WORKFLOW_GROUP_NOT_FOUND',
    );
  });
});
