import { describe, expect, it } from '@jest/globals';
import type { MessageState } from '../../message/message.js';
import { counterChanges, transitionOf } from './feedback.js';
import type { Feedback } from './feedback.js';

const states: MessageState[] = [
  ...(['QUEUED', 'HANDING_OVER', 'SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED', 'DEFERRED', 'FAILED'] as const),
  ...(['SKIPPED', 'IN_DOUBT'] as const),
];
const kinds = ['delivered', 'delayed', 'bounced', 'complained'] as const;

/** Every state by every kind: the new state, `later`, or `-` for no change. */
const matrix: Record<MessageState, string> = {
  QUEUED: '- - - -',
  HANDING_OVER: 'later later later later',
  SENT: 'DELIVERED SENT BOUNCED COMPLAINED',
  DELIVERED: '- DELIVERED BOUNCED COMPLAINED',
  BOUNCED: '- - - -',
  COMPLAINED: '- - - -',
  DEFERRED: '- - - -',
  FAILED: '- - - -',
  SKIPPED: '- - - -',
  IN_DOUBT: 'DELIVERED SENT BOUNCED COMPLAINED',
};

describe('transitionOf', () => {
  it.each(states)('%s', (state) => {
    const feedback = kinds.map((kind) => {
      const transition = transitionOf(state, { kind } as Feedback);
      return transition === null ? '-' : transition === 'later' ? 'later' : transition.state;
    });
    expect(feedback.join(' ')).toBe(matrix[state]);
  });
});

describe('counterChanges', () => {
  it.each([
    ['BOUNCED', 'DELIVERED', { sent: 0, inDoubt: 0, delivered: -1, bounced: 1 }],
    ['BOUNCED', 'SENT', { sent: 0, inDoubt: 0, delivered: 0, bounced: 1 }],
    ['BOUNCED', null, { sent: 1, inDoubt: -1, delivered: 0, bounced: 1 }],
    ['DELIVERED', 'SENT', { sent: 0, inDoubt: 0, delivered: 1, bounced: 0 }],
    ['COMPLAINED', 'DELIVERED', { sent: 0, inDoubt: 0, delivered: 0, bounced: 0 }],
    ['COMPLAINED', null, { sent: 1, inDoubt: -1, delivered: 1, bounced: 0 }],
    ['SENT', null, { sent: 1, inDoubt: -1, delivered: 0, bounced: 0 }],
  ] as const)('to %s from what counted as %s', (state, countedAs, expected) => {
    expect(counterChanges({ state, countedAs })).toEqual(expected);
  });
});
