import { describe, expect, it } from '@jest/globals';
import { reviewSuppression } from './suppression-review.js';
import type { ReviewedEvent } from './suppression-review.js';

const at = (day: number) => new Date(Date.UTC(2026, 0, 1 + day));
const event = (type: string, day: number, data: Record<string, unknown> = {}): ReviewedEvent => ({
  type,
  at: at(day),
  data,
});
const bounced = (day: number, bounceCategory: string, change: object = {}) =>
  event('EMAIL_BOUNCED', day, { bounceType: 'SOFT', bounceCategory, status: null, reason: 'no', ...change });
const five = (category: string, change: object = {}) => [1, 2, 3, 4, 5].map((day) => bounced(day, category, change));
const review = (
  history: ReviewedEvent[],
  change: Partial<Parameters<typeof reviewSuppression>[0]> = {},
): ReturnType<typeof reviewSuppression> =>
  reviewSuppression({ history, statusBefore: null, confirmationSent: false, ...change });
const subscribed = event('SUBSCRIBED', 0, { source: 'api' });

describe('reviewSuppression', () => {
  it.each(['POLICY', 'CONTENT', 'BLOCKED', 'OTHER'])('withdraws a suppression by five bounces of %s', (category) => {
    expect(review([subscribed, ...five(category)])).toEqual({
      kept: null,
      status: 'SUBSCRIBED',
      causes: { [category]: 5 },
    });
  });

  it('withdraws refusals at MAIL FROM, and too few counted bounces mixed with others', () => {
    const atMailFrom = five('MAILBOX_FULL', { reason: '552 full (in answer to MAIL FROM)' });
    expect(review([subscribed, ...atMailFrom])).toMatchObject({ kept: null, causes: { SENDER_REFUSED: 5 } });
    const mixed = [...five('MAILBOX_FULL').slice(0, 4), bounced(5, 'POLICY')];
    expect(review([subscribed, ...mixed])).toMatchObject({ kept: null, causes: { MAILBOX_FULL: 4, POLICY: 1 } });
  });

  it.each([
    ['five counted ones within 30 days', [...five('MAILBOX_FULL')], 'COUNTED'],
    ['what passes by itself at the end of the schedule', five('TRANSIENT', { status: '4.4.1' }), 'COUNTED'],
    ['decisions that delivery made', five('POLICY', { suppression: { cause: 'LATER', counted: true } }), 'COUNTED'],
    ['a hard bounce', [...five('POLICY'), bounced(6, 'NO_SUCH_USER', { bounceType: 'HARD' })], 'HARD_BOUNCE'],
    ['a complaint', [...five('POLICY'), event('EMAIL_COMPLAINED', 6)], 'COMPLAINT'],
    ['an unsubscription', [...five('POLICY'), event('UNSUBSCRIBED', 6)], 'UNSUBSCRIPTION'],
    ['a history that is gone', five('POLICY').slice(2), 'NO_HISTORY'],
    ['no history', [], 'NO_HISTORY'],
  ])('leaves %s alone', (_, history, kept) => {
    expect(review([subscribed, ...history])).toEqual({ kept });
  });

  it('withdraws five counted bounces that are more than 30 days apart', () => {
    const apart = [0, 10, 20, 30, 31].map((day) => bounced(day, 'MAILBOX_FULL'));
    expect(review([subscribed, ...apart])).toMatchObject({ kept: null });
    expect(review([subscribed, ...apart, bounced(32, 'MAILBOX_FULL')])).toEqual({ kept: 'COUNTED' });
  });

  it('passes over what came before a reactivation or an earlier review', () => {
    for (const source of ['reactivation', 'review']) {
      const before = [...five('MAILBOX_FULL'), bounced(6, 'NO_SUCH_USER', { bounceType: 'HARD' })];
      const history = [subscribed, ...before, event('SUBSCRIBED', 7, { source }), ...five('POLICY')];
      expect(review(history)).toMatchObject({ kept: null, causes: { POLICY: 5 } });
    }
  });

  it('restores the stored status, or the one that the history shows', () => {
    const status = (history: ReviewedEvent[], change = {}) => (review(history, change) as { status: string }).status;
    expect(status(five('POLICY'), { statusBefore: 'PENDING_CONFIRMATION' })).toBe('PENDING_CONFIRMATION');
    expect(status([subscribed, ...five('POLICY')], { statusBefore: 'TRANSACTIONAL' })).toBe('TRANSACTIONAL');
    expect(status([subscribed, ...five('POLICY')], { confirmationSent: true })).toBe('SUBSCRIBED');
    expect(status(five('POLICY'), { confirmationSent: true })).toBe('PENDING_CONFIRMATION');
    expect(status(five('POLICY'))).toBe('TRANSACTIONAL');
  });
});
