import { beforeAll, describe, expect, it } from '@jest/globals';
import { graph, mail, onSubscribing } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('delete_workflow', () => {
  it('deletes a draft that was never published, with its emails, after saying so', async () => {
    const { id } = await desk.create('Short-lived');
    await desk.configure(id, graph([onSubscribing, mail('m')]));
    expect(await desk.tidings.describe('delete_workflow', { workflowId: id }, desk.ours)).toMatchObject({
      data: { message: 'The draft "Short-lived" is deleted for good.' },
    });
    expect(await desk.tidings.data('delete_workflow', { workflowId: id }, desk.ours)).toEqual({ deleted: true });
    expect(await desk.refusal('get_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
    expect(await desk.refusal('delete_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
  });

  it('answers WORKFLOW_NOT_FOUND for another organization’s', async () => {
    const { id } = await desk.create('Foreign', desk.theirs);
    expect(await desk.refusal('delete_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
    expect((await desk.get(id, desk.theirs)).name).toBe('Foreign');
  });
});
