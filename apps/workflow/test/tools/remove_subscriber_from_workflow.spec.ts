import { beforeAll, describe, expect, it } from '@jest/globals';
import { waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, refusalsOfWho } from '../isolated-fixture.js';

const wrongWho = ['IDENTIFIER_MISSING', 'SUBSCRIBER_NOT_FOUND', 'IDENTIFIERS_DISAGREE'];
let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('remove_subscriber_from_workflow', () => {
  it('cancels open runs, and succeeds without any', async () => {
    const id = await fixture.live(waiting());
    const input = { workflowId: id, email: 'removed@example.com' };
    await fixture.subscriber(input.email);
    await fixture.enrol(id, input.email);
    expect(await fixture.harness.data('remove_subscriber_from_workflow', input, fixture.tenant)).toEqual({
      canceled: 1,
    });
    expect(await fixture.harness.data('remove_subscriber_from_workflow', input, fixture.tenant)).toEqual({
      canceled: 0,
    });
    expect(await fixture.runs(input.email)).toMatchObject([
      { status: 'CANCELED', reason: 'REMOVED', finishedAt: expect.any(String) },
    ]);
    expect(await refusalsOfWho(fixture, 'remove_subscriber_from_workflow', id)).toEqual(wrongWho);
    expect(await fixture.refusal('remove_subscriber_from_workflow', input, fixture.otherTenant)).toBe(
      'WORKFLOW_NOT_FOUND',
    );
  });
});
