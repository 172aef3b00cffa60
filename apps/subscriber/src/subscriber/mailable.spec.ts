import { describe, expect, it } from '@jest/globals';
import { subscriberStatuses } from '#contracts';
import { mailableOf, suppressionsOf } from './mailable.js';

const at = new Date('2026-05-01T10:00:00Z');
const facts = {
  status: 'SUBSCRIBED' as const,
  statusAt: at,
  bannedAt: null,
  banReason: null,
  complainedAt: null,
  hardBouncedAt: null,
  bounceReason: null,
};

describe('which mail reaches a subscriber', () => {
  it.each([
    ['SUBSCRIBED', true, true],
    ['UNSUBSCRIBED', false, true],
    ['PENDING_CONFIRMATION', false, true],
    ['TRANSACTIONAL', false, true],
    ['BOUNCED', false, false],
    ['COMPLAINED', false, false],
    ['BANNED', false, false],
  ] as const)('%s: marketing %s, transactional %s', (status, marketing, transactional) => {
    const mailable = mailableOf({ ...facts, status });
    expect(mailable).toMatchObject({ marketing, transactional });
    expect(mailable.why === null).toBe(marketing);
  });

  it('covers every status', () => expect(subscriberStatuses).toHaveLength(7));

  it('withholds all mail for a suppression that outlives the status', () => {
    const left = { ...facts, status: 'UNSUBSCRIBED' as const, hardBouncedAt: at, bounceReason: 'NO_SUCH_USER' };
    expect(mailableOf(left)).toMatchObject({ marketing: false, transactional: false });
    expect(suppressionsOf(left)).toEqual([{ suppression: 'BOUNCED', since: at, reason: 'NO_SUCH_USER' }]);
  });

  it('lists every suppression, the strongest first, and none twice', () => {
    const all = { ...facts, status: 'BANNED' as const, bannedAt: at, banReason: 'abuse', complainedAt: at };
    expect(suppressionsOf(all).map(({ suppression }) => suppression)).toEqual(['BANNED', 'COMPLAINED']);
    expect(suppressionsOf(facts)).toEqual([]);
  });
});
