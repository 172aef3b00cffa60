import { describe, expect, it } from '@jest/globals';
import { subscriberStatuses } from '#contracts';
import { skipReasonOf } from './skip-reason.js';

describe('skipReasonOf', () => {
  it('admits SUBSCRIBED subscribers and names every other status', () => {
    expect(subscriberStatuses.map((status) => skipReasonOf({ status, suppressed: null }))).toEqual([
      'PENDING_CONFIRMATION',
      null,
      'UNSUBSCRIBED',
      'BOUNCED',
      'BANNED',
      'COMPLAINED',
      'TRANSACTIONAL',
    ]);
    expect(skipReasonOf({ status: null, suppressed: null })).toBe('DELETED');
  });

  it('puts a mark before the status', () => {
    expect(skipReasonOf({ status: 'SUBSCRIBED', suppressed: 'BANNED' })).toBe('BANNED');
    expect(skipReasonOf({ status: 'UNSUBSCRIBED', suppressed: 'COMPLAINED' })).toBe('COMPLAINED');
  });
});
