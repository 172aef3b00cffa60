import { describe, expect, it } from '@jest/globals';
import type { ExplainedWorkflow } from '#contracts';
import { entryChecks, explainEntry } from './explain-workflow.js';

const now = new Date('2026-05-01T10:00:00.000Z');
const workflow: ExplainedWorkflow = {
  name: 'Welcome',
  status: 'ACTIVE',
  pausedReason: null,
  version: 1,
  reentry: 'ALWAYS',
  triggers: [],
  enrolledBefore: false,
  underWay: false,
  startsLastHour: 0,
  startsAnHourMax: 100,
  group: null,
  run: null,
};
const failed = (change: Partial<ExplainedWorkflow>) =>
  entryChecks({ ...workflow, ...change }, now).find(({ passed }) => !passed)?.rule;

describe('the checks of an enrolment', () => {
  it.each<[Partial<ExplainedWorkflow>, string | undefined]>([
    [{ enrolledBefore: true, underWay: true }, undefined],
    [{ reentry: 'ONCE' }, undefined],
    [{ reentry: 'ONCE', enrolledBefore: true }, 're-entry'],
    [{ reentry: 'AFTER_FINISH', enrolledBefore: true }, undefined],
    [{ reentry: 'AFTER_FINISH', enrolledBefore: true, underWay: true }, 're-entry'],
    [{ startsLastHour: 99 }, undefined],
    [{ startsLastHour: 100 }, 'loop'],
    [{ group: { strategy: 'SKIP_NEW', others: true } }, 'group'],
    [{ group: { strategy: 'SKIP_NEW', others: false } }, undefined],
    [{ group: { strategy: 'CANCEL_EXISTING', others: true } }, undefined],
  ])('of %j fail at %s, as the enrolment decides', (change, rule) => {
    expect(failed(change)).toBe(rule);
    const { verdict } = explainEntry('Welcome', entryChecks({ ...workflow, ...change }, now), now);
    expect(verdict).toBe(rule === undefined ? 'NOT_STARTED' : 'LEFT_OUT');
  });
});
