/** The types of a subscriber's history (API text, Events 1). */
export const subscriberEventTypes = [
  'SUBSCRIBED',
  'UNSUBSCRIBED',
  'TAG_ADDED',
  'TAG_REMOVED',
  'EMAIL_OPENED',
  'EMAIL_CLICKED',
  'EMAIL_SENT',
  'EMAIL_DELIVERY_DELAYED',
  'WORKFLOW_STARTED',
  'WORKFLOW_COMPLETED',
  'WORKFLOW_CANCELED',
  'FIELD_UPDATED',
  'EMAIL_BOUNCED',
  'EMAIL_COMPLAINED',
  'EMAIL_RECEIVED',
  'WEBHOOK_EXECUTED',
  'SUBSCRIBER_PAYMENT',
  'SUBSCRIBER_REFUND',
] as const;
export type SubscriberEventType = (typeof subscriberEventTypes)[number];
