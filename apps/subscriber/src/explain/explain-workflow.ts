import type { ExplainCheck, ExplainedRun, ExplainedTrigger, ExplainedWorkflow } from '#contracts';
import type { Explanation } from './explain.js';

type Found = Pick<Explanation, 'verdict' | 'at' | 'headline' | 'checks' | 'nextPossibleAt'>;

const stored = { certainty: 'RECORDED', source: 'workflow' } as const;

export const isOpen = ({ state }: Pick<ExplainedRun, 'state'>): boolean => state === 'ACTIVE' || state === 'WAITING';

export function explainRun(name: string, run: ExplainedRun): Found {
  const { state, step, startedAt, nextActionAt, finishedAt, reason } = run;
  const open = isOpen(run);
  const at = finishedAt ?? startedAt;
  const place = `the step '${step.name ?? step.id}' (${step.type})`;
  const until = nextActionAt === null ? '' : ` until ${nextActionAt}`;
  const why = reason === null ? '' : `: ${reason}`;
  return {
    verdict: open ? 'RUNNING' : state === 'COMPLETED' ? 'COMPLETED' : 'LEFT_OUT',
    at,
    headline: open
      ? `In '${name}' since ${startedAt}: ${state === 'WAITING' ? 'waits' : 'is'} at ${place}${until}.`
      : state === 'COMPLETED'
        ? `Completed '${name}' at ${at}${why}.`
        : `The run of '${name}' ended early (${state}) at ${place}${why}.`,
    checks: [
      {
        ...stored,
        rule: 'entered',
        expected: 'a run of the workflow',
        actual: `entered version ${run.version}`,
        passed: true,
        at: startedAt,
      },
      ...run.mails.map((mail) => ({
        ...stored,
        rule: 'mail',
        expected: `the step ${mail.stepId} sends its email`,
        actual: mail.reason === null ? mail.outcome : `${mail.outcome}: ${mail.reason}`,
        passed: mail.outcome === 'SENT',
        at: mail.at,
      })),
      {
        ...stored,
        rule: open ? 'step' : 'end',
        expected: 'every step was executed',
        actual: open ? `${state} at ${place}${until}` : `${state}${why}`,
        passed: open ? null : state === 'COMPLETED',
        at,
      },
    ],
    nextPossibleAt: open ? nextActionAt : null,
  };
}

export const activeCheck = ({ status, pausedReason }: ExplainedWorkflow, at: Date): ExplainCheck => ({
  rule: 'workflow',
  expected: 'ACTIVE',
  actual: pausedReason === null ? status : `${status}: ${pausedReason}`,
  passed: status === 'ACTIVE',
  certainty: 'NOW',
  at: at.toISOString(),
  source: 'workflow',
});

/**
 * Whether the event of a trigger has happened since the publication of its version; earlier events start no run. A
 * trigger without an event is started by a call or a date.
 */
export function triggerCheck(
  trigger: ExplainedTrigger,
  { last, since }: { last: Date | null; since: Date | null },
  at: Date,
): ExplainCheck {
  const happened = last && `happened last at ${last.toISOString()}`;
  const isEarly = last !== null && since !== null && last < since;
  return {
    rule: 'trigger',
    expected: trigger.eventTypes[0] ?? trigger.kind,
    actual:
      trigger.eventTypes.length === 0
        ? 'starts without an event of the subscriber'
        : isEarly
          ? `${happened}, before the publication at ${since.toISOString()}`
          : (happened ?? 'has not happened'),
    passed: trigger.eventTypes.length === 0 || (last !== null && !isEarly),
    certainty: 'RECORDED',
    at: (last ?? at).toISOString(),
    source: 'subscriber',
  };
}

/** The checks of an enrolment, in the order of its decision: re-entry, the limit of starts, the group. */
export function entryChecks(workflow: ExplainedWorkflow, at: Date): ExplainCheck[] {
  const { reentry, enrolledBefore, underWay, startsLastHour, startsAnHourMax, group } = workflow;
  const common = { certainty: 'NOW' as const, at: at.toISOString(), source: 'workflow' };
  return [
    {
      ...common,
      rule: 're-entry',
      expected: reentry ?? 'a published version',
      actual: underWay ? 'a run is open' : enrolledBefore ? 'enrolled before' : 'never enrolled',
      passed: reentry === 'ALWAYS' || !(reentry === 'ONCE' ? enrolledBefore : underWay),
    },
    {
      ...common,
      rule: 'loop',
      expected: `fewer than ${startsAnHourMax} starts within an hour`,
      actual: `${startsLastHour} starts`,
      passed: startsLastHour < startsAnHourMax,
    },
    ...(group === null
      ? []
      : [
          {
            ...common,
            rule: 'group',
            expected: `no open run in another workflow of the group (${group.strategy})`,
            actual: group.others ? 'an open run in another workflow' : 'none',
            passed: !(group.others && group.strategy === 'SKIP_NEW'),
          },
        ]),
  ];
}

export function explainEnded(run: Found, checks: ExplainCheck[]): Found {
  const failed = checks.find(({ passed }) => passed === false);
  const again = failed
    ? `Another start would be refused now: ${failureText(failed)}.`
    : 'Another start would be accepted now.';
  return { ...run, headline: `${run.headline} ${again}`, checks: [...run.checks, ...checks] };
}

const failureText = ({ rule, actual, expected }: ExplainCheck): string =>
  `${rule} is '${actual}', expected '${expected}'`;

export function explainEntry(name: string, checks: ExplainCheck[], at: Date): Found {
  const failed = checks.find(({ passed }) => passed === false);
  const isLeftOut = failed !== undefined && !['workflow', 'trigger'].includes(failed.rule);
  return {
    verdict: isLeftOut ? 'LEFT_OUT' : 'NOT_STARTED',
    at: at.toISOString(),
    headline: failed
      ? `Has not entered '${name}': ${failureText(failed)}.`
      : `Has not entered '${name}'. A start would be accepted now.`,
    checks,
    nextPossibleAt: null,
  };
}
