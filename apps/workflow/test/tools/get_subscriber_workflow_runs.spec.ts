import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTags, byHand, graph, waiting } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, refusalsOfWho } from '../isolated-fixture.js';

const wrongWho = ['IDENTIFIER_MISSING', 'SUBSCRIBER_NOT_FOUND', 'IDENTIFIERS_DISAGREE'];
let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('get_subscriber_workflow_runs', () => {
  it('lists what is under way first, then what ended last', async () => {
    const email = 'listed@example.com';
    await desk.subscriber(email);
    const [first, second, third] = [
      await desk.live(waiting()),
      await desk.live(graph([byHand, addTags('t', 'x')])),
      await desk.live(waiting()),
    ];
    for (const id of [first, second, third]) await desk.enrol(id, email);
    await desk.tidings.data('remove_subscriber_from_workflow', { workflowId: third, email }, desk.ours);
    await desk.run();
    expect((await desk.runs(email)).map(({ workflowId, status }) => [workflowId, status])).toEqual([
      [first, 'WAITING'],
      [second, 'COMPLETED'],
      [third, 'CANCELED'],
    ]);
    expect(await desk.runs(email, second)).toHaveLength(1);
    expect(await refusalsOfWho(desk, 'get_subscriber_workflow_runs', first)).toEqual(wrongWho);
    expect(await desk.refusal('get_subscriber_workflow_runs', { email, workflowId: first }, desk.theirs)).toBe(
      'WORKFLOW_NOT_FOUND',
    );
  });
});
