import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('create_workflow', () => {
  it('makes an empty DRAFT that get_workflow shows', async () => {
    const made = await desk.create('  A new one ');
    expect(made).toMatchObject({
      name: 'A new one',
      status: 'DRAFT',
      draft: { steps: [], edges: [] },
      published: null,
    });
    expect(made.settings).toMatchObject({ reentry: 'ONCE', exitOnUnsubscribe: true });
    expect(await desk.get(made.id)).toEqual(made);
  });
});
