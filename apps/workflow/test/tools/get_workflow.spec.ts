import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Desk } from '../desk.js';
import { freshDesk } from '../fresh-desk.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('get_workflow', () => {
  it('answers WORKFLOW_NOT_FOUND for what is unknown or another organization’s', async () => {
    const { id } = await desk.create();
    expect(await desk.refusal('get_workflow', { workflowId: id }, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
    expect(await desk.refusal('get_workflow', { workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    expect(await desk.refusal('get_workflow', { workflowId: 'nonsense' })).toBe('WORKFLOW_NOT_FOUND');
  });
});
