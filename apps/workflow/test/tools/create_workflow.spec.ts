import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('create_workflow', () => {
  it('makes an empty DRAFT that get_workflow shows', async () => {
    const made = await fixture.create('  A new one ');
    expect(made).toMatchObject({
      name: 'A new one',
      status: 'DRAFT',
      draft: { steps: [], edges: [] },
      published: null,
    });
    expect(made.settings).toMatchObject({ reentry: 'ONCE', exitOnUnsubscribe: true });
    expect(await fixture.get(made.id)).toEqual(made);
  });
});
