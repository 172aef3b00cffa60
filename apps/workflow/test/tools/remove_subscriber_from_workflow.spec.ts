import { beforeAll, describe, expect, it } from '@jest/globals';
import { waiting } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, refusalsOfWho } from '../isolated-fixture.js';

const wrongWho = ['IDENTIFIER_MISSING', 'SUBSCRIBER_NOT_FOUND', 'IDENTIFIERS_DISAGREE'];
let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('remove_subscriber_from_workflow', () => {
  it('cancels what is under way, and nothing is a success', async () => {
    const id = await desk.live(waiting());
    const input = { workflowId: id, email: 'removed@example.com' };
    await desk.subscriber(input.email);
    await desk.enrol(id, input.email);
    expect(await desk.tidings.data('remove_subscriber_from_workflow', input, desk.ours)).toEqual({ canceled: 1 });
    expect(await desk.tidings.data('remove_subscriber_from_workflow', input, desk.ours)).toEqual({ canceled: 0 });
    expect(await desk.runs(input.email)).toMatchObject([
      { status: 'CANCELED', reason: 'REMOVED', finishedAt: expect.any(String) },
    ]);
    expect(await refusalsOfWho(desk, 'remove_subscriber_from_workflow', id)).toEqual(wrongWho);
    expect(await desk.refusal('remove_subscriber_from_workflow', input, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
  });
});
