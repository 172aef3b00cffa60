import type { simulationAssumptions } from '#contracts';
import type { CompiledVersion } from '../compiled-version.js';
import { isType } from '../graph/graph.js';
import type { Step } from '../graph/graph.js';

export type AssumptionCode = (typeof simulationAssumptions)[number];

const messages: Record<AssumptionCode, string> = {
  PROFILES_NOW: 'Filters read profiles, tags, custom fields and counters as they are now, not as they were.',
  STATUS_THEN:
    'The status is the present one, except that a subscriber counts as SUBSCRIBED before the last unsubscription in the range. Suppressions are those of now.',
  ENROLLED_BEFORE:
    'Subscribers who entered the workflow before the range count as enrolled. Their open runs are left out.',
  EFFECTS_NOT_APPLIED:
    'Tags and fields that steps would change are not changed, so later conditions do not see them. After UNSUBSCRIBE, no more mail is counted.',
  MAIL_UNANSWERED: 'No simulated mail is opened, clicked or bounced. Only opens and clicks of the past are known.',
  WEBHOOKS_SUCCEED: 'Webhooks are not called and count as successful.',
  MANUAL_NOT_SIMULATED: 'Starts by hand, by a call or by other workflows are not simulated.',
  DATES_NOW: 'Dates that start a run are those that the field holds now.',
  GROUP_IGNORED: 'Runs of other workflows of the group are not considered.',
  STARTS_NOT_RECORDED:
    'The history does not record changes that start no workflow, such as imports with that option. They count like others.',
  DELETED_LEFT_OUT: 'Subscribers who were deleted since are left out.',
  FILTERS_FAILED:
    'Filters that name a deleted record cannot be evaluated. No subscriber meets them, and their steps fail.',
  EVENTS_CUT: 'The events or steps of at least one subscriber were too many, and the rest of them is left out.',
};

const isAction = (step: Step, ...kinds: string[]): boolean =>
  isType(step, 'ACTION') && kinds.includes(step.config.kind);

/** Returns what a simulation of a version takes for granted, with the assumptions that apply to its steps. */
export function assumptionsOf(
  { draft, triggers }: CompiledVersion,
  { isGrouped, hasFailed, isCut }: { isGrouped: boolean; hasFailed: boolean; isCut: boolean },
): { code: AssumptionCode; message: string }[] {
  const { steps } = draft.graph;
  const applies: Record<AssumptionCode, boolean> = {
    PROFILES_NOW: true,
    STATUS_THEN: true,
    ENROLLED_BEFORE: true,
    EFFECTS_NOT_APPLIED: steps.some((step) => isAction(step, 'ADD_TAGS', 'REMOVE_TAGS', 'SET_FIELD', 'UNSUBSCRIBE')),
    MAIL_UNANSWERED: steps.some((step) => isType(step, 'EMAIL')),
    WEBHOOKS_SUCCEED: steps.some((step) => isAction(step, 'WEBHOOK')),
    MANUAL_NOT_SIMULATED: triggers.length === 0 || triggers.some(({ config }) => config.kind === 'MANUAL'),
    DATES_NOW: triggers.some(({ config }) => config.kind === 'DATE_FIELD'),
    GROUP_IGNORED: isGrouped,
    STARTS_NOT_RECORDED: true,
    DELETED_LEFT_OUT: true,
    FILTERS_FAILED: hasFailed,
    EVENTS_CUT: isCut,
  };
  return (Object.keys(applies) as AssumptionCode[])
    .filter((code) => applies[code])
    .map((code) => ({ code, message: messages[code] }));
}
