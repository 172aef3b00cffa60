import { until } from '#testing';
import { ToolsClient } from '../../../../test/e2e/client.js';
import type { DashboardFixture } from '../harness.js';

const mail = (id: string, subject: string) => ({
  id,
  type: 'EMAIL',
  config: {
    subject,
    contentType: 'MARKDOWN',
    content: 'It is good to have you here.\n\n[Unsubscribe]({{unsubscribeUrl}})',
  },
});

const steps = (days: number) => [
  { id: 'start', type: 'TRIGGER', config: { kind: 'SUBSCRIBED' } },
  { id: 'payment', type: 'TRIGGER', config: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' } },
  mail('welcome', 'Willkommen in der Stadtgärtnerei, {{firstName | "lieber Gast"}}'),
  { id: 'pause', type: 'WAIT', config: { amount: days, unit: 'DAYS' } },
  {
    id: 'check',
    type: 'CONDITION',
    name: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenträger?',
    config: { filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }] },
  },
  { id: 'halves', type: 'SPLIT', config: { branches: ['A', 'B'].map((name) => ({ name, weight: 1 })) } },
  mail('a', 'أهلا وسهلا'),
  mail('b', 'Three things to try first'),
  { id: 'click', type: 'WAIT_UNTIL', config: { event: { kind: 'EMAIL_CLICKED' }, timeout: 604_800 } },
  { id: 'tag', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['newsletter'] } },
  { id: 'again', type: 'MOVE_TO_STEP', config: { stepId: 'pause' } },
  { id: 'end', type: 'EXIT', config: { reason: 'not interested' } },
];
const edge = (source: string, target: string, branch?: string) => ({ source, target, ...(branch && { branch }) });
const edges = [
  edge('start', 'welcome'),
  edge('payment', 'welcome'),
  edge('welcome', 'pause'),
  edge('pause', 'check'),
  edge('check', 'halves', 'TRUE'),
  edge('halves', 'a', 'A'),
  edge('halves', 'b', 'B'),
  edge('a', 'click'),
  edge('b', 'click'),
  edge('click', 'tag', 'MATCHED'),
  edge('click', 'again', 'TIMEOUT'),
  edge('check', 'end', 'FALSE'),
];

interface Read {
  workflowId: string;
  workflow: { updatedAt: string; stats: { steps: { stepId: string; waiting: number }[] } };
}

/**
 * Makes a published workflow in which subscribers wait, with a draft that differs, and a group that holds it.
 * @returns its id
 */
export async function makeWorkflow(fixture: DashboardFixture, name: string, waiting = 12): Promise<string> {
  const client = new ToolsClient(fixture.url, fixture.system.apiToken);
  await client.data('get_or_create_tags', { names: ['customer', 'newsletter'] });
  const { workflowId, workflow } = await client.data<Read>('create_workflow', { name });
  const save = (days: number, expectedUpdatedAt: string) =>
    client.data<Read>('configure_workflow_draft', { workflowId, expectedUpdatedAt, steps: steps(days), edges });
  await save(3, workflow.updatedAt);
  const published = await client.data<Read>('publish_workflow', { workflowId });
  // A group of that name that exists is returned.
  const { groupId } = await client.data<{ groupId: string }>('create_workflow_group', {
    name: 'Erste Schritte für neue Kundinnen und Kunden der Stadtgärtnerei',
  });
  const grouped = await client.data<Read>('set_workflow_group', {
    workflowId,
    expectedUpdatedAt: published.workflow.updatedAt,
    groupId,
  });
  const subscribers = Array.from({ length: waiting }, (_, n) => ({ email: `waiting${n}@people.internal` }));
  await client.data('import_subscribers', { subscribers });
  await client.data('add_subscribers_to_workflow', { workflowId, stepId: 'pause', query: 'waiting' });
  await until('the runs at the wait', async () => {
    const { stats } = (await client.data<Read>('get_workflow', { workflowId })).workflow;
    return (stats.steps.find(({ stepId }) => stepId === 'pause')?.waiting ?? 0) >= waiting;
  });
  await save(2, grouped.workflow.updatedAt);
  await client.data('simulate_workflow', { workflowId });
  await until('the simulation', async () => {
    const { simulation } = await client.data<{ simulation: { status: string } }>('get_workflow_simulation', {
      workflowId,
    });
    return simulation.status === 'COMPLETED';
  });
  return workflowId;
}
