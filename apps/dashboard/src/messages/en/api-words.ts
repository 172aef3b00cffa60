import { defineTexts } from '../text.js';

const fields = {
  'STRING/email': 'Email address',
  'STRING/name': 'Name',
  'STRING/phone': 'Phone number',
  'STRING/country': 'Country, by ISO 3166-1 code or English name',
  'NUMBER/emailCount': 'Emails sent to the subscriber',
  'NUMBER/openCount': 'Opens',
  'NUMBER/clickCount': 'Clicks',
  'NUMBER/revenue': 'Revenue in the currency of the organization',
  'DATE/createdAt': 'Created',
  'DATE/updatedAt': 'Last changed',
  'DATE/lastEmailedAt': 'Last emailed',
  'DATE/lastOpenedAt': 'Last opened',
  'DATE/lastClickedAt': 'Last clicked',
  'TAG/tags': 'Tags',
  'FIELD/TEXT': 'As text',
  'FIELD/NUMBER': 'As a number',
  'FIELD/DATE': 'As a date',
  'SEGMENT/segment': 'Segment',
  'CAMPAIGN/campaign': 'Campaign',
  'WORKFLOW/workflow': 'Workflow',
  'EVENT/SUBSCRIBED': 'subscribed',
  'EVENT/UNSUBSCRIBED': 'unsubscribed',
  'EVENT/TAG_ADDED': 'tag added',
  'EVENT/TAG_REMOVED': 'tag removed',
  'EVENT/EMAIL_OPENED': 'email opened',
  'EVENT/EMAIL_CLICKED': 'email clicked',
  'EVENT/EMAIL_SENT': 'email sent',
  'EVENT/EMAIL_DELIVERY_DELAYED': 'email delivery delayed',
  'EVENT/WORKFLOW_STARTED': 'workflow started',
  'EVENT/WORKFLOW_COMPLETED': 'workflow completed',
  'EVENT/WORKFLOW_CANCELED': 'workflow canceled',
  'EVENT/FIELD_UPDATED': 'field updated',
  'EVENT/EMAIL_BOUNCED': 'email bounced',
  'EVENT/EMAIL_COMPLAINED': 'email complained',
  'EVENT/EMAIL_RECEIVED': 'email received',
  'EVENT/WEBHOOK_EXECUTED': 'webhook executed',
  'EVENT/SUBSCRIBER_PAYMENT': 'subscriber payment',
  'EVENT/SUBSCRIBER_REFUND': 'subscriber refund',
  'SYSTEM/system': 'Engagement and quality',
};
export const filterFieldText = defineTexts('filterFields', fields);

const reasons = {
  NOT_FOUND: 'Not found',
  NOT_SUBSCRIBED: 'Not subscribed',
  WORKFLOW_NOT_ACTIVE: 'The workflow is not active',
  ALREADY_ENROLLED: 'Was in the workflow before',
  RUN_UNDER_WAY: 'Is in the workflow now',
  LOOP: 'Started too often within an hour',
  GROUP_CONFLICT: 'Is in another workflow of the group',
  STEP_GONE: 'The published version lacks the step',
  FILTERED: 'Does not match the filters',
  UNSUBSCRIBED: 'Unsubscribed',
  PENDING_CONFIRMATION: 'Pending confirmation',
  TRANSACTIONAL: 'Transactional',
  BOUNCED: 'Bounced',
  COMPLAINED: 'Complained',
  BANNED: 'Banned',
  DELETED: 'Deleted',
  INVALID_ADDRESS: 'Invalid address',
  RENDER_FAILED: 'Render failed',
  STOPPED: 'Stopped',
  NO_SUCH_USER: 'No such user',
  INTERNAL: 'Internal',
  MAILBOX_FULL: 'Mailbox full',
  BLOCKED: 'Blocked',
  CONTENT: 'Content',
  POLICY: 'Policy',
  TRANSIENT: 'Transient',
  OTHER: 'Other',
};
export const reasonWordText = defineTexts('reasonWords', reasons);

const outcomes = {
  STARTED: 'started',
  WAITING: 'waiting',
  DONE: 'done',
  SENT: 'sent',
  SKIPPED: 'skipped',
  FAILED: 'failed',
  TRUE: 'yes',
  FALSE: 'no',
  MATCHED: 'matched',
  TIMEOUT: 'time was up',
  MOVED: 'moved on',
  JUMPED: 'jumped',
  EXITED: 'ended',
  PASSED: 'passed',
  GOAL_MET: 'goal met',
  COMPLETED: 'completed',
  CANCELED: 'canceled',
};
export const outcomeWordText = defineTexts('outcomeWords', outcomes);

const has = <T extends object>(texts: T, name: string): name is keyof T & string => Object.hasOwn(texts, name);

/** The label of a field of filters. @param label of the API, for fields that have no words here */
export function filterFieldLabel(type: string, field: string, label: string): string {
  const name = `${type}/${field}`;
  return has(fields, name) ? filterFieldText(name) : label;
}

/** A reason of the API in words; one that is not known is made readable: SOME_REASON → "Some reason". */
export function reasonText(reason: string): string {
  if (has(reasons, reason)) return reasonWordText(reason);
  const text = reason.replaceAll('_', ' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What came of a step, in words; the name of a branch stays as it is. */
export const outcomeText = (outcome: string): string => (has(outcomes, outcome) ? outcomeWordText(outcome) : outcome);
