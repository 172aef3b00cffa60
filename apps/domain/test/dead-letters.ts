import { domainRequests } from '#contracts';
import type { Service } from '#contracts';
import { newId, newUuid, wireId } from '#database';
import { DeadLetterRepository } from '#events';
import type { Harness, Tenant } from '../../../test/harness/harness.js';

/** Creates an organization. */
export async function organization(harness: Harness): Promise<Tenant> {
  const caller = harness.caller({ organizationId: '' });
  const made = await harness.client(domainRequests).create_organization({ name: 'An organization' }, caller);
  return { organizationId: made.organization.id };
}

/** Puts a complaint about mail aside in a service; only the subscriber service can apply it. @returns its id */
export async function deadLetter(
  harness: Harness,
  tenant: Tenant,
  { service, email }: { service: Service; email: string },
): Promise<string> {
  const { subscriber } = await harness.data<{ subscriber: { id: string } }>('add_subscriber', { email }, tenant);
  const event = {
    id: newUuid(),
    name: 'message.complained' as const,
    organizationId: tenant.organizationId,
    data: {
      messageId: newId('msg'),
      subscriberId: subscriber.id,
      campaignId: null,
      campaignName: null,
      subject: 'Hello',
      email,
      at: new Date().toISOString(),
      simulated: false,
      complaintFeedbackType: 'abuse',
      provider: 'example.com',
    },
  };
  const id = newUuid();
  const letter = { id, consumer: service, event: event as never, error: 'Error: no room', attempts: 5 };
  await new DeadLetterRepository(harness.dataSource(service).manager).insert(letter);
  return wireId('dlt', id);
}
