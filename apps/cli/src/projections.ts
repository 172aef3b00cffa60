import type { EventName, Service } from '#contracts';

type Projections = Partial<Record<EventName, string>>;

/** What a service keeps of the events of others, by event; docs/internals/event-repair.md names the owners. */
export const projections: Partial<Record<Service, Projections>> = {
  subscriber: {
    'messages.settled': 'history, activity',
    'send.started': 'campaigns of the history',
    'message.sent': 'history, activity',
    'message.delivered': 'history, activity',
    'message.delayed': 'history',
    'message.opened': 'history, activity',
    'message.clicked': 'history, activity',
    'message.bounced': 'history, activity, status, suppressions',
    'message.complained': 'history, activity, status, suppressions',
    'run.started': 'history, workflows of the subscriber',
    'run.completed': 'history, workflows of the subscriber',
    'run.canceled': 'history, workflows of the subscriber',
    'webhook.executed': 'history',
    'unsubscription.requested': 'status',
  },
  campaign: {
    'messages.settled': 'campaign numbers',
    'message.sent': 'campaign numbers',
    'message.delivered': 'campaign numbers',
    'message.bounced': 'campaign numbers',
    'message.opened': 'campaign numbers, hours, links',
    'message.clicked': 'campaign numbers, hours, links',
    'message.complained': 'campaign numbers',
    'subscriber.unsubscribed': 'campaign numbers',
    'send.finished': 'campaign status',
    'send.retried': 'campaign status, campaign numbers',
  },
  delivery: {
    'messages.settled': 'deliverability, engagement',
    'message.sent': 'deliverability, engagement',
    'message.delivered': 'deliverability, engagement',
    'message.bounced': 'deliverability, engagement',
    'message.complained': 'deliverability, engagement',
    'message.opened': 'engagement',
    'message.clicked': 'engagement',
    'subscriber.unsubscribed': 'engagement',
    'subscriber.deleted': 'erasure',
    'send.finished': 'progress shown live',
    'send.retried': 'engagement',
  },
  workflow: {
    'subscriber.unsubscribed': 'runs that end',
    'subscriber.deleted': 'runs that end, erasure',
    'message.sent': 'numbers of steps',
    'message.opened': 'numbers of steps',
    'message.clicked': 'numbers of steps',
  },
};

/** What follows from an event in a service that was away; null if nothing is repaired by it. */
export const projectionOf = (service: Service, event: string): string | null =>
  (projections[service] as Record<string, string> | undefined)?.[event] ?? null;
