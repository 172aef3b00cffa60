import type { DomainEvent } from '#contracts';
import type { EventKind, EventSpec } from './graph/step-config.js';

export interface TriggerEvent {
  id: string;
  organizationId: string;
  subscriberId: string;
  /** Null for events that only the kind EVENT can name. */
  kind: Exclude<EventKind, 'EVENT'> | null;
  eventType: string;
  tagId?: string;
  fieldId?: string;
  campaignId?: string | null;
  starts: boolean;
  /** Whether it comes from another service than the owner of subscribers, which may receive it a little later. */
  byOthers: boolean;
  /** The workflow whose step caused it. */
  by: string | null;
  at: Date;
}

export type ObservedEvent = DomainEvent<
  | 'subscriber.subscribed'
  | 'subscriber.unsubscribed'
  | 'subscriber.deleted'
  | 'tag.added'
  | 'tag.removed'
  | 'field.updated'
  | 'event.recorded'
  | 'message.sent'
  | 'message.delivered'
  | 'message.bounced'
  | 'message.complained'
  | 'message.delayed'
  | 'message.opened'
  | 'message.clicked'
>;

const kinds: Partial<Record<ObservedEvent['name'], Exclude<EventKind, 'EVENT'>>> = {
  'subscriber.subscribed': 'SUBSCRIBED',
  'subscriber.unsubscribed': 'UNSUBSCRIBED',
  'tag.added': 'TAG_ADDED',
  'tag.removed': 'TAG_REMOVED',
  'field.updated': 'FIELD_UPDATED',
  'message.opened': 'EMAIL_OPENED',
  'message.clicked': 'EMAIL_CLICKED',
};
const messageTypes: Partial<Record<ObservedEvent['name'], string>> = {
  'message.sent': 'EMAIL_SENT',
  'message.delivered': 'EMAIL_RECEIVED',
  'message.bounced': 'EMAIL_BOUNCED',
  'message.complained': 'EMAIL_COMPLAINED',
  'message.delayed': 'EMAIL_DELIVERY_DELAYED',
};

/** Null for events without a subscriber, and for opens and clicks by machines. */
export function toTriggerEvent(event: ObservedEvent): TriggerEvent | null {
  const { id, organizationId, name, data } = event;
  const kind = kinds[name] ?? null;
  if ('messageId' in data && 'email' in data) {
    if (data.subscriberId === null || ('machine' in data && data.machine)) return null;
    const { subscriberId, campaignId, at } = data;
    const eventType = kind ?? messageTypes[name]!;
    const observed = { id, organizationId, subscriberId, kind, eventType, campaignId, at: new Date(at) };
    return { ...observed, starts: true, byOthers: true, by: null };
  }
  const { subscriberId, triggerWorkflows: starts, cause, occurredAt } = data;
  const eventType = 'eventType' in data ? data.eventType.toUpperCase() : (kind ?? name);
  return {
    id,
    organizationId,
    subscriberId,
    kind,
    eventType,
    starts,
    at: new Date(occurredAt),
    byOthers: false,
    by: cause.kind === 'workflow' ? cause.id : null,
    ...('tagId' in data && { tagId: data.tagId }),
    ...('fieldId' in data && { fieldId: data.fieldId }),
    ...('campaignId' in data && { campaignId: data.campaignId }),
  };
}

export function isAbout(
  spec: Pick<EventSpec, 'tags' | 'fieldId' | 'campaignId' | 'eventType'> & { kind: string },
  triggerEvent: TriggerEvent,
): boolean {
  if (spec.kind === 'EVENT') {
    if (spec.eventType !== triggerEvent.eventType) return false;
  } else if (spec.kind !== triggerEvent.kind) return false;
  return (
    (spec.tags === undefined || spec.tags.includes(triggerEvent.tagId ?? '')) &&
    (spec.fieldId === undefined || spec.fieldId === triggerEvent.fieldId) &&
    (spec.campaignId === undefined || spec.campaignId === triggerEvent.campaignId)
  );
}

/** The index rows of a trigger: kind and key; an empty key matches any event of the kind. */
export function indexKeysOf(
  spec: Pick<EventSpec, 'tags' | 'fieldId' | 'campaignId' | 'eventType'> & { kind: string },
): { kind: string; key: string }[] {
  const { kind } = spec;
  if (kind === 'EVENT') return [{ kind, key: spec.eventType! }];
  if (kind === 'TAG_ADDED' || kind === 'TAG_REMOVED') return (spec.tags ?? ['']).map((key) => ({ kind, key }));
  return [{ kind, key: spec.fieldId ?? spec.campaignId ?? '' }];
}

export function lookupKeysOf({
  kind,
  eventType,
  tagId,
  fieldId,
  campaignId,
}: TriggerEvent): { kind: string; key: string }[] {
  const own = kind === null ? [] : ['', tagId ?? fieldId ?? campaignId ?? ''].map((key) => ({ kind, key }));
  return [{ kind: 'EVENT', key: eventType }, ...own];
}
