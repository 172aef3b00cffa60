import type { Service } from '#contracts';
import { newUuid, wireId } from '#database';
import { DeadLetterRepository } from '#events';
import type { Harness, Tenant } from '../../../test/harness/harness.js';
import { person } from '../../subscriber/test/subscriber-fixture.js';
import { aboutMessageTo } from '../../subscriber/test/message-event-fixture.js';

/** Puts a complaint about mail aside in a service; only the subscriber service can apply it. @returns its id */
export async function deadLetter(
  harness: Harness,
  tenant: Tenant,
  { service, email }: { service: Service; email: string },
): Promise<string> {
  const about = aboutMessageTo(await person(harness, tenant, { email }));
  const event = {
    id: newUuid(),
    name: 'message.complained' as const,
    organizationId: tenant.organizationId,
    data: { ...about, complaintFeedbackType: 'abuse', provider: 'example.com' },
  };
  const id = newUuid();
  const letter = { id, consumer: service, event: event as never, error: 'Error: no room', attempts: 5 };
  await new DeadLetterRepository(harness.dataSource(service).manager).insert(letter);
  return wireId('dlt', id);
}
