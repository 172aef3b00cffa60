import { describe, expect, it } from '@jest/globals';
import { emptyDraft } from './draft.js';
import type { Draft } from './draft.js';
import { publishSummary } from './publish-summary.js';

const draftOf = (...steps: object[]): Draft => ({
  ...emptyDraft(),
  graph: { steps: steps as Draft['graph']['steps'], edges: [] },
});
const trigger = (config: object) => ({ id: 'start', type: 'TRIGGER', config });
const welcome = draftOf(
  trigger({ kind: 'TAG_ADDED', tags: ['a', 'b'] }),
  trigger({ kind: 'SUBSCRIBED', filters: [{}] }),
  { id: 'm', type: 'EMAIL', config: {} },
  { id: 't', type: 'ACTION', config: { kind: 'UNSUBSCRIBE' } },
);
const none = { tagNames: new Map<string, string>() };
const same = {
  stepsAdded: [],
  stepsRemoved: [],
  stepsChanged: [],
  edges: false,
  settings: false,
  successGoals: false,
};

describe('the sentence about a publication', () => {
  it('names who enters, what a run does, and that earlier subscribers are not enrolled', () => {
    const first = {
      name: 'Welcome',
      draft: welcome,
      version: 1,
      status: 'ACTIVE',
      difference: null,
      openRuns: 0,
      tagNames: new Map([['a', 'vip']]),
    } as const;
    expect(publishSummary(first)).toBe(
      'Version 1 of "Welcome" is published and can never be changed; the workflow is ACTIVE then. ' +
        'From then on subscribers enter it, once each, when one of the tags "vip", "b" is added or when they subscribe and they match its filters; those of before are not enrolled. ' +
        'It sends up to 1 email a subscriber and carries out up to 1 action.',
    );
  });

  it('names what it replaces and the runs that stay on their version', () => {
    const difference = { ...same, stepsAdded: ['x'], stepsChanged: ['m', 't'], settings: true };
    const next = {
      name: 'Welcome',
      draft: draftOf(),
      version: 3,
      status: 'PAUSED',
      difference,
      openRuns: 12,
      ...none,
    } as const;
    expect(publishSummary(next)).toBe(
      'Version 3 of "Welcome" is published and can never be changed; the workflow is PAUSED then. ' +
        'It replaces version 2: 1 step added, 2 steps changed, settings changed. ' +
        'Subscribers enter it only once it is ACTIVE. It sends no email and carries out no action. ' +
        '12 runs in progress stay on the version they began with.',
    );
    expect(publishSummary({ ...next, difference: same })).toContain('It replaces version 2: nothing differs.');
    expect(publishSummary({ ...next, openRuns: 1 })).toContain('1 run in progress stays on the version it began with.');
  });

  it('names the tag of a trigger, and says where any tag starts it', () => {
    const first = { name: 'x', version: 1, status: 'ACTIVE', difference: null, openRuns: 0 } as const;
    const tagNames = new Map([['a', 'vip']]);
    const summaryOf = (config: object) => publishSummary({ ...first, draft: draftOf(trigger(config)), tagNames });
    expect(summaryOf({ kind: 'TAG_ADDED', tags: ['a'] })).toContain('when the tag "vip" is added;');
    expect(summaryOf({ kind: 'TAG_REMOVED' })).toContain('when any tag is removed;');
    const many = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(summaryOf({ kind: 'TAG_ADDED', tags: many })).toContain('"vip", "b", "c", "d", "e" and 1 other is added;');
  });

  it('says that a workflow without automatic triggers is entered by hand', () => {
    const draft = draftOf(trigger({ kind: 'MANUAL' }));
    expect(
      publishSummary({ name: 'x', draft, version: 1, status: 'ACTIVE', difference: null, openRuns: 0, ...none }),
    ).toContain('Subscribers enter it only when they are added to it.');
  });
});
