import { beforeAll, describe, expect, it } from '@jest/globals';
import { graph, mail, onSubscribing } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('delete_workflow', () => {
  it('deletes a draft that was never published, with its emails, after saying so', async () => {
    const { id } = await fixture.create('Short-lived');
    await fixture.configure(id, graph([onSubscribing, mail('m')]));
    expect(await fixture.harness.describe('delete_workflow', { workflowId: id }, fixture.tenant)).toMatchObject({
      data: { message: 'The draft "Short-lived" is permanently deleted.' },
    });
    expect(await fixture.harness.data('delete_workflow', { workflowId: id }, fixture.tenant)).toEqual({
      deleted: true,
    });
    expect(await fixture.refusal('get_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
    expect(await fixture.refusal('delete_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
  });

  it('answers WORKFLOW_NOT_FOUND for another organization’s', async () => {
    const { id } = await fixture.create('Foreign', fixture.otherTenant);
    expect(await fixture.refusal('delete_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
    expect((await fixture.get(id, fixture.otherTenant)).name).toBe('Foreign');
  });
});
