import type { Data, subscriberWorkflowRequests } from '#contracts';
import { eventKinds } from '../graph/step-config.js';
import type { EventKind } from '../graph/step-config.js';
import type { TriggerEvent } from '../trigger-event.js';

/** A subscriber with the facts of now and the events of then, as the subscriber service answers them. */
export type PastSubscriber = Data<(typeof subscriberWorkflowRequests)['calls']['list_past_events']>['people'][number];

const kinds: ReadonlySet<string> = new Set(eventKinds.filter((kind) => kind !== 'EVENT'));

/**
 * Returns the events of a subscriber as workflows heard them. The history does not record whether a change was to start
 * no workflow, nor the workflow that caused it: every event starts, and none is attributed to a workflow.
 */
export const triggerEventsOf = (organizationId: string, { subscriberId, events }: PastSubscriber): TriggerEvent[] =>
  events.map(([at, eventType, key]) => ({
    id: '',
    organizationId,
    subscriberId,
    kind: kinds.has(eventType) ? (eventType as Exclude<EventKind, 'EVENT'>) : null,
    eventType,
    ...idsOf(eventType, key),
    starts: true,
    byOthers: false,
    by: null,
    at: new Date(at),
  }));

function idsOf(eventType: string, key: string | null): Pick<TriggerEvent, 'tagId' | 'fieldId' | 'campaignId'> {
  if (key === null) return {};
  if (eventType === 'TAG_ADDED' || eventType === 'TAG_REMOVED') return { tagId: key };
  return eventType === 'FIELD_UPDATED' ? { fieldId: key } : { campaignId: key };
}
