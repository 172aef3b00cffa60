import type { ConflictStrategy, WorkflowStatus } from '#contracts';

/** Most starts of a workflow for one subscriber within an hour; only workflows that start each other exceed it. */
export const startsAnHourMax = 100;

export const skipReasons = {
  NOT_FOUND: 'there is no such subscriber',
  NOT_SUBSCRIBED: 'only SUBSCRIBED subscribers who may be written to are enrolled',
  WORKFLOW_NOT_ACTIVE: 'the workflow is not ACTIVE',
  ALREADY_ENROLLED: 'the workflow takes each subscriber ONCE, and had this one before',
  RUN_UNDER_WAY: 'a run of this subscriber is still open, and the workflow enrols AFTER_FINISH',
  LOOP: `the workflow was started for this subscriber ${startsAnHourMax} times within an hour, as workflows do that start each other`,
  GROUP_CONFLICT: 'the subscriber is in another workflow of the group, whose strategy is SKIP_NEW',
  STEP_GONE: 'the live version has no such step',
  FILTERED: 'the filters of the trigger do not match',
} as const;
export type SkipReason = keyof typeof skipReasons;

export interface Candidate {
  status: WorkflowStatus;
  reentry: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS';
  enrolledBefore: boolean;
  underWay: boolean;
  startsLastHour: number;
  group: { strategy: ConflictStrategy; others: boolean } | null;
}
export type EnrolmentDecision = { skip: SkipReason } | { enrol: true; firstStepOnly: boolean; cancelOthers: boolean };

/** Decides an enrolment: re-entry first, then the limit of starts, then the group. */
export function decideEnrolment({
  status,
  reentry,
  enrolledBefore,
  underWay,
  startsLastHour,
  group,
}: Candidate): EnrolmentDecision {
  if (status !== 'ACTIVE') return { skip: 'WORKFLOW_NOT_ACTIVE' };
  if (reentry === 'ONCE' && enrolledBefore) return { skip: 'ALREADY_ENROLLED' };
  if (reentry === 'AFTER_FINISH' && underWay) return { skip: 'RUN_UNDER_WAY' };
  if (startsLastHour >= startsAnHourMax) return { skip: 'LOOP' };
  const conflict = group?.others ? group.strategy : null;
  if (conflict === 'SKIP_NEW') return { skip: 'GROUP_CONFLICT' };
  return { enrol: true, firstStepOnly: conflict === 'RUN_FIRST_STEP', cancelOthers: conflict === 'CANCEL_EXISTING' };
}

/** Returns the reason of a subscriber's state against an enrolment; null when the subscriber is eligible. */
export function ineligibility(
  person: { status: string | null; suppressed: string | null } | undefined,
  anyStatus = false,
): SkipReason | null {
  if (!person) return 'NOT_FOUND';
  return anyStatus || (person.status === 'SUBSCRIBED' && person.suppressed === null) ? null : 'NOT_SUBSCRIBED';
}
