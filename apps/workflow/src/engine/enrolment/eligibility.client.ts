import type { ServiceBus } from '#bus';
import { subscriberWorkflowRequests } from '#contracts';
import type { Caller } from '#tool-call';
import { ineligibility } from '../../rules/enrolment.js';
import type { SkipReason } from '../../rules/enrolment.js';

/** Returns the subscribers in the order requested, each with its reason against an enrolment. */
export async function peopleOf(
  bus: ServiceBus,
  subscriberIds: readonly string[],
  caller: Caller,
): Promise<{ subscriberId: string; skip: SkipReason | null }[]> {
  const { get_people } = bus.client(subscriberWorkflowRequests);
  const asked = { subscriberIds: [...new Set(subscriberIds)], conditions: [], fieldIds: [] };
  const byId = new Map((await get_people(asked, caller)).people.map((person) => [person.subscriberId, person]));
  return subscriberIds.map((subscriberId) => ({ subscriberId, skip: ineligibility(byId.get(subscriberId)) }));
}
