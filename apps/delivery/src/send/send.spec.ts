import { describe, expect, it } from '@jest/globals';
import { pendingOf } from './progress.js';
import { outcomeOf, sendStateSources } from './send.js';
import type { SendState } from './send.js';

const counts = { sent: 0, delivered: 0, bounced: 0, failed: 0, deferred: 0, inDoubt: 0, skipped: {} };

describe('a send', () => {
  it('changes its state as the matrix says', () => {
    const states: SendState[] = ['RUNNING', 'PAUSED', 'STOPPED', 'DONE'];
    const matrix = (['RUNNING', 'PAUSED', 'STOPPED'] as const).map((to) =>
      states.map((from) => (sendStateSources[to].includes(from) ? 'x' : '-')).join(''),
    );
    expect(matrix).toEqual(['-x--', 'x---', 'xx--']);
  });

  it('counts recipients without an outcome as pending, including deferred ones', () => {
    expect(
      pendingOf(100, { ...counts, sent: 40, failed: 3, inDoubt: 2, deferred: 5, skipped: { BANNED: 4, DELETED: 1 } }),
    ).toBe(50);
  });

  it('fails if no recipient can have received it, with the reason', () => {
    expect(outcomeOf({ ...counts, sent: 1, failed: 99 }).outcome).toBe('SENT');
    expect(outcomeOf({ ...counts, inDoubt: 1 }).outcome).toBe('SENT');
    expect(outcomeOf({ ...counts, failed: 2, skipped: { STOPPED: 3 } })).toEqual({
      outcome: 'FAILED',
      failure: 'No message was sent: 2 refused by the mail server, 3 STOPPED.',
    });
    expect(outcomeOf(counts).failure).toBe('No message was sent: no recipient was left.');
  });
});
