import type { ServiceBus } from '#bus';
import { subscriberWorkflowRequests } from '#contracts';
import type { Data } from '#contracts';
import type { Caller } from '#tool-call';
import type { SkipReason } from '../../rules/enrolment.js';

type Person = Data<(typeof subscriberWorkflowRequests)['calls']['get_people']>['people'][number];

/** Reason of the subscriber service against an enrolment; null when the subscriber is eligible. */
export function ineligibility(person: Person | undefined, anyStatus = false): SkipReason | null {
  if (!person) return 'NOT_FOUND';
  return anyStatus || (person.status === 'SUBSCRIBED' && person.suppressed === null) ? null : 'NOT_SUBSCRIBED';
}

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
