import { describe, expect, it } from '@jest/globals';
import { subscriberStatuses } from '#contracts';
import type { SubscriberStatus } from '#contracts';
import { initialStatus, nextStatus, owesConfirmation, suppressionOf, suppressionWarning } from './subscriber.js';
import type { Suppressions, StatusChangeRequest } from './subscriber.js';

const unmarked: Suppressions = { banned: false, hardBounced: false, complained: false };
const changes: Record<string, StatusChangeRequest> = {
  'add, double opt-in off': { via: 'add', resubscribe: true, skipDoubleOptIn: false, doubleOptIn: false },
  'add, double opt-in on': { via: 'add', resubscribe: true, skipDoubleOptIn: false, doubleOptIn: true },
  'add with skipDoubleOptIn': { via: 'add', resubscribe: true, skipDoubleOptIn: true, doubleOptIn: true },
  'skipDoubleOptIn alone': { via: 'add', resubscribe: false, skipDoubleOptIn: true, doubleOptIn: true },
  'neither, double opt-in on': { via: 'add', resubscribe: false, skipDoubleOptIn: false, doubleOptIn: true },
  'import, double opt-in on': { via: 'import', resubscribe: false, skipDoubleOptIn: false, doubleOptIn: true },
  'import with resubscribe': { via: 'import', resubscribe: true, skipDoubleOptIn: false, doubleOptIn: true },
  'a mere update': { via: 'update', resubscribe: false, skipDoubleOptIn: false, doubleOptIn: true },
  'update with resubscribe': { via: 'update', resubscribe: true, skipDoubleOptIn: false, doubleOptIn: false },
  'update with skipDoubleOptIn': { via: 'update', resubscribe: false, skipDoubleOptIn: true, doubleOptIn: true },
};
const [P, S, U, B, X, C, T] = [
  ...([
    'PENDING_CONFIRMATION',
    'SUBSCRIBED',
    'UNSUBSCRIBED',
    'BOUNCED',
    'BANNED',
    'COMPLAINED',
    'TRANSACTIONAL',
  ] as const),
];

describe('the status of a subscriber', () => {
  /** Beside each wish: what a new one starts with, then what each status becomes, in the order of the API text. */
  const table: [keyof typeof changes, SubscriberStatus, SubscriberStatus[]][] = [
    ['add, double opt-in off', S, [P, S, S, B, X, C, S]],
    ['add, double opt-in on', P, [P, S, S, B, X, C, P]],
    ['add with skipDoubleOptIn', S, [S, S, S, B, X, C, S]],
    ['skipDoubleOptIn alone', S, [S, S, U, B, X, C, S]],
    ['neither, double opt-in on', P, [P, S, U, B, X, C, P]],
    ['import, double opt-in on', S, [P, S, U, B, X, C, S]],
    ['import with resubscribe', S, [P, S, S, B, X, C, S]],
    ['a mere update', P, [P, S, U, B, X, C, T]],
    ['update with resubscribe', S, [P, S, S, B, X, C, S]],
    ['update with skipDoubleOptIn', S, [S, S, U, B, X, C, T]],
  ];

  it.each(table)('%s: new ones are %s, existing ones become %j', (change, fresh, becomes) => {
    expect(initialStatus(changes[change]!)).toBe(fresh);
    const next = subscriberStatuses.map((status) => nextStatus({ status, marks: unmarked }, changes[change]!));
    expect(next).toEqual(becomes);
  });

  it.each(['banned', 'hardBounced', 'complained'] as const)('never changes while the address is %s', (mark) => {
    const marks = { ...unmarked, [mark]: true };
    for (const status of subscriberStatuses) {
      for (const change of Object.values(changes)) expect(nextStatus({ status, marks }, change)).toBe(status);
      expect(suppressionWarning({ status, marks })).toContain(`its status stays ${status}`);
    }
  });

  it('names the most severe suppression, or none', () => {
    expect(
      suppressionOf({ status: 'UNSUBSCRIBED', marks: { banned: true, hardBounced: true, complained: true } }),
    ).toBe('BANNED');
    expect(suppressionOf({ status: 'BOUNCED', marks: { ...unmarked, complained: true } })).toBe('COMPLAINED');
    expect(suppressionOf({ status: 'BOUNCED', marks: unmarked })).toBe('BOUNCED');
    for (const status of [P, S, U, T]) expect(suppressionWarning({ status, marks: unmarked })).toBeNull();
  });
});

describe('owesConfirmation', () => {
  const now = new Date('2026-05-01T12:00:00.000Z');
  const sent = (minutesAgo: number) => new Date(now.getTime() - minutesAgo * 60_000);

  it('is true for a newcomer, and again once an hour has passed since the last message', () => {
    expect(owesConfirmation(null, now)).toBe(true);
    expect(owesConfirmation({ confirmationDue: false, confirmationSentAt: null }, now)).toBe(true);
    expect(owesConfirmation({ confirmationDue: false, confirmationSentAt: sent(60) }, now)).toBe(true);
    expect(owesConfirmation({ confirmationDue: false, confirmationSentAt: sent(59) }, now)).toBe(false);
    expect(owesConfirmation({ confirmationDue: true, confirmationSentAt: sent(600) }, now)).toBe(false);
  });
});
