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
const admit = (recipients: PageRecipient[], known: string[] = [], isStopped = false) =>
  admitRecipients(recipients, {
    newUuid: () => 'new',
    uuidOf: (id) => id.replace('sub', 'uuid'),
    known: new Set(known),
    isStopped,
  });

describe('admitRecipients', () => {
  it('queues messages in the order of the recipients, and says which are to test addresses', () => {
    const { queued, skips } = admit(['a@x.internal', 'b@example.com', 'c@x.internal'].map((email) => recipient(email)));
    expect(queued.map(({ email, simulated }) => [email, simulated])).toEqual([
      ['a@x.internal', false],
      ['b@example.com', true],
      ['c@x.internal', false],
    ]);
    expect(queued[0]!.subscriberId).toBe('uuid a@x.internal');
    expect(skips).toEqual([]);
  });

  it('skips recipients that may not or cannot be sent to, with the reason', () => {
    const { queued, skips } = admit([
      recipient('a@x.internal', { status: 'UNSUBSCRIBED' }),
      recipient('b@x.internal', { status: null }),
      recipient('no address'),
    ]);
    expect(queued).toEqual([]);
    expect(skips.map(({ email, reason, detail }) => [email, reason, detail])).toEqual([
      ['a@x.internal', 'UNSUBSCRIBED', null],
      ['b@x.internal', 'DELETED', null],
      ['no address', 'INVALID_ADDRESS', 'The address has no @'],
    ]);
  });

  it('skips all others of a stopped send', () => {
    const { queued, skips } = admit([recipient('a@x.internal'), recipient('b@x.internal', { status: null })], [], true);
    expect(queued).toEqual([]);
    expect(skips.map(({ reason }) => reason)).toEqual(['STOPPED', 'DELETED']);
  });

  it('passes over recipients that already have a message', () => {
    const { queued, skips } = admit(
      [recipient('a@x.internal'), recipient('b@x.internal', { status: 'BOUNCED' })],
      ['uuid a@x.internal', 'uuid b@x.internal'],
    );
    expect([queued, skips]).toEqual([[], []]);
  });
});
