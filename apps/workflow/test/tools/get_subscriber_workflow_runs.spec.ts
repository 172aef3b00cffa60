import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTags, byHand, graph, waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, refusalsOfWho } from '../isolated-fixture.js';

const wrongWho = ['IDENTIFIER_MISSING', 'SUBSCRIBER_NOT_FOUND', 'IDENTIFIERS_DISAGREE'];
let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('get_subscriber_workflow_runs', () => {
  it('lists open runs first, then the others by end, latest first', async () => {
    const email = 'listed@example.com';
    await fixture.subscriber(email);
    const [first, second, third] = [
      await fixture.live(waiting()),
      await fixture.live(graph([byHand, addTags('t', 'x')])),
      await fixture.live(waiting()),
    ];
    for (const id of [first, second, third]) await fixture.enrol(id, email);
    await fixture.harness.data('remove_subscriber_from_workflow', { workflowId: third, email }, fixture.tenant);
    await fixture.run();
    expect((await fixture.runs(email)).map(({ workflowId, status }) => [workflowId, status])).toEqual([
      [first, 'WAITING'],
      [second, 'COMPLETED'],
      [third, 'CANCELED'],
    ]);
    expect(await fixture.runs(email, second)).toHaveLength(1);
    expect(await refusalsOfWho(fixture, 'get_subscriber_workflow_runs', first)).toEqual(wrongWho);
    expect(
      await fixture.refusal('get_subscriber_workflow_runs', { email, workflowId: first }, fixture.otherTenant),
    ).toBe('WORKFLOW_NOT_FOUND');
  });
});
