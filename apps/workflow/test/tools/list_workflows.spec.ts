import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('list_workflows', () => {
  it('lists every state, newest first, and finds by a part of the name', async () => {
    const [first, second] = [await fixture.create('Birthday 100%'), await fixture.create('Birthday two')];
    const list = async (input: object) =>
      await fixture.harness.data<{ workflows: { id: string }[]; total: number }>(
        'list_workflows',
        input,
        fixture.tenant,
      );
    expect((await list({ query: 'BIRTH' })).workflows.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await list({ query: '0%' })).toMatchObject({
      workflows: [{ id: first.id, activeSubscribers: 0 }],
      total: 1,
    });
    expect((await list({ limit: 1 })).workflows).toHaveLength(1);
    expect(await fixture.harness.data('list_workflows', {}, fixture.otherTenant)).toEqual({ workflows: [], total: 0 });
  });

  it('lists up to 1,000, since it has no pages', async () => {
    expect(await fixture.harness.data('list_workflows', { limit: 1_000 }, fixture.otherTenant)).toMatchObject({
      total: 0,
    });
    expect(await fixture.refusal('list_workflows', { limit: 1_001 })).toBe('PARAMETERS_INVALID');
  });
});
