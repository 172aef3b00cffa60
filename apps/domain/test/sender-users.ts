import type { Harness, Tenant } from '../../../test/harness/harness.js';

interface Sender {
  id: string;
  email: string;
  isDefault: boolean;
}

/** Adds a sender on a domain. */
export async function addSender(harness: Harness, tenant: Tenant, domainId: string, localPart: string) {
  const input = { displayName: 'Ada', localPart, domainId };
  return (await harness.data<{ sender: Sender }>('create_email_sender', input, tenant)).sender;
}

/** Lists the senders of an organization, the default one first. */
export const sendersOf = async (harness: Harness, tenant: Tenant): Promise<Sender[]> =>
  (await harness.data<{ senders: Sender[] }>('get_email_senders', {}, tenant)).senders;

/** Schedules a campaign with a sender. @returns its id */
export async function scheduled(harness: Harness, tenant: Tenant, senderId: string): Promise<string> {
  await harness.data('add_subscriber', { email: 'ada@example.com' }, tenant);
  const content = '[Unsubscribe]({{unsubscribeUrl}})';
  const letter = { name: 'Spring', subject: 'Hello', contentType: 'MARKDOWN', content, senderId };
  const { campaignId } = await harness.data<{ campaignId: string }>('create_campaign', letter, tenant);
  await harness.data('schedule_campaign', { campaignId, date: '2037-01-01' }, tenant);
  return campaignId;
}

/** Publishes a workflow whose email has a sender. @returns its id */
export async function published(harness: Harness, tenant: Tenant, senderId: string): Promise<string> {
  const { workflow } = await harness.data<{ workflow: { id: string; updatedAt: string } }>(
    'create_workflow',
    { name: 'Welcome' },
    tenant,
  );
  const config = { subject: 'Hello', contentType: 'MARKDOWN', content: 'Hello', senderId };
  const draft = {
    workflowId: workflow.id,
    expectedUpdatedAt: workflow.updatedAt,
    steps: [
      { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
      { id: 'mail', type: 'EMAIL', config },
    ],
    edges: [{ source: 'start', target: 'mail' }],
  };
  await harness.data('configure_workflow_draft', draft, tenant);
  await harness.data('publish_workflow', { workflowId: workflow.id }, tenant);
  return workflow.id;
}
