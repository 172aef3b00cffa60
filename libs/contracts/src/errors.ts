import { callReasons } from './reasons/calls.js';
import { campaignReasons } from './reasons/campaigns.js';
import { deliveryReasons } from './reasons/delivery.js';
import { domainReasons } from './reasons/domains.js';
import { subscriberReasons } from './reasons/subscribers.js';
import { peopleReasons } from './reasons/people.js';
import { workflowReasons } from './reasons/workflows.js';
import type { ReasonEntry } from './reasons/reason.js';

/**
 * A message states the refused input, the actual state and the next step; it never holds internals. NOT_FOUND is the
 * same for an unknown id and for another organization's.
 */
export const reasons = {
  ...callReasons,
  ...subscriberReasons,
  ...campaignReasons,
  ...workflowReasons,
  ...deliveryReasons,
  ...domainReasons,
  ...peopleReasons,
} satisfies Record<string, ReasonEntry<never>>;

export type Reason = keyof typeof reasons;
export type ReasonParams<R extends Reason> = Parameters<(typeof reasons)[R]['message']>[0];

/** What any call may answer besides the reasons it declares. */
export const generalReasons: readonly Reason[] = [
  'PARAMETERS_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
  'SERVICE_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'ANSWER_LOST',
  'RESULT_TOO_LARGE',
  'RECORDS_EXPIRED',
];

/** A problem with one parameter: the path of keys and indexes from the body, and the rule in words. */
export interface Issue {
  path: (string | number)[];
  message: string;
  /** Of a workflow's graph: the step that the problem is about. */
  stepId?: string;
}
