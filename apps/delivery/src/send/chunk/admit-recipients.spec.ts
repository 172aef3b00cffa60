import { describe, expect, it } from '@jest/globals';
import type { PageRecipient } from '#contracts';
import { admitRecipients } from './admit-recipients.js';

const recipient = (email: string, change: Partial<PageRecipient> = {}): PageRecipient => ({
  subscriberId: `sub ${email}`,
  email,
  status: 'SUBSCRIBED',
  suppressed: null,
  values: {},
  shows: [],
  ...change,
});
const admit = (recipients: PageRecipient[], known: string[] = []) =>
  admitRecipients(recipients, (id) => id.replace('sub', 'uuid'), new Set(known));

describe('admitPeople', () => {
  it('puts test addresses first and keeps the order otherwise', () => {
    const { people, skipped } = admit(
      ['a@x.internal', 'b@example.com', 'c@x.internal', 'd@b.test'].map((e) => recipient(e)),
    );
    expect(people.map(({ recipient: { email }, simulated }) => [email, simulated])).toEqual([
      ['b@example.com', true],
      ['d@b.test', true],
      ['a@x.internal', false],
      ['c@x.internal', false],
    ]);
    expect(people[0]!.subscriberId).toBe('uuid b@example.com');
    expect(skipped).toEqual([]);
  });

  it('skips recipients that may not or cannot be sent to, with the reason', () => {
    const { people, skipped } = admit([
      recipient('a@x.internal', { status: 'UNSUBSCRIBED' }),
      recipient('b@x.internal', { status: null }),
      recipient('no address'),
    ]);
    expect(people).toEqual([]);
    expect(skipped.map(({ email, reason, detail }) => [email, reason, detail])).toEqual([
      ['a@x.internal', 'UNSUBSCRIBED', null],
      ['b@x.internal', 'DELETED', null],
      ['no address', 'INVALID_ADDRESS', 'The address has no @'],
    ]);
  });

  it('passes over recipients that already have a message', () => {
    const { people, skipped } = admit(
      [recipient('a@x.internal'), recipient('b@x.internal', { status: 'BOUNCED' })],
      ['uuid a@x.internal', 'uuid b@x.internal'],
    );
    expect([people, skipped]).toEqual([[], []]);
  });
});
