import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { newUuid } from '#database';
import type { AttemptReport } from '../message/attempt-report.js';
import { giveUpAfterSeconds } from '../message/retry-schedule.js';
import { settleAttempt } from './settle-attempt.service.js';

const replied = (response: string, more: object = {}): AttemptReport => ({
  kind: 'replied',
  code: Number(response.slice(0, 3)),
  response,
  stage: 'RCPT',
  ...more,
});
/** Returns the decision in the bounce event of a message that was tried for `age` seconds; null without a bounce. */
function decided(report: AttemptReport, age: number): string | null {
  const message = {
    messageId: newUuid(),
    subscriberId: null,
    email: 'ada@b.example',
    subject: 'News',
    attempts: 30,
    age,
  };
  const send = { organizationId: 'org_1', campaignId: null, campaignName: null };
  const { events } = settleAttempt(report, message, { send, accepted: 'SENT', mustArrive: false });
  const [bounced] = (JSON.parse(`[${events}]`) as DomainEvent<'message.bounced'>[]).filter(
    ({ name }) => name === 'message.bounced',
  );
  const suppression = bounced?.data.suppression;
  return suppression ? `${suppression.cause} ${suppression.counted ? 'counted' : 'not counted'}` : null;
}

describe('a bounce in the session', () => {
  it.each([
    [replied('550 5.1.1 No such user'), 'DEAD_ADDRESS not counted'],
    [replied('550 User unknown'), 'DEAD_ADDRESS not counted'],
    [replied('550 User unknown', { stage: 'END_OF_DATA' }), 'POLICY not counted'],
    [replied('550 5.7.1 Not by our policy'), 'POLICY not counted'],
    [replied('554 5.6.0 Bad content'), 'CONTENT not counted'],
    [replied('552 5.2.2 Mailbox full'), 'MAILBOX_FULL counted'],
    [replied('550 5.2.1 The account is disabled'), 'MAILBOX_DISABLED counted'],
    [replied('550 5.7.13 Disabled'), 'MAILBOX_DISABLED counted'],
    [replied('550 This account has been suspended'), 'MAILBOX_DISABLED counted'],
    [replied('552 5.2.2 Mailbox full', { stage: 'MAIL' }), 'SENDER_REFUSED not counted'],
    [replied('552 5.2.2 Mailbox full', { relayInTrouble: true }), 'RELAY_UNAVAILABLE not counted'],
  ])('says at once whether it counts: %j: %s', (report, expected) => expect(decided(report, 1)).toBe(expected));

  it.each([
    [replied('452 4.2.2 Over quota'), 'MAILBOX_FULL counted'],
    [replied('450 4.1.1 Mailbox unavailable'), 'UNREACHABLE counted'],
    [replied('450 4.4.1 No answer from host'), 'UNREACHABLE counted'],
    [replied('451 4.7.1 Please try later'), 'TRANSIENT not counted'],
    [replied('451 4.7.1 Greylisted'), 'RATE_LIMIT not counted'],
    [replied('450 4.1.1 Try later', { stage: 'MAIL' }), 'SENDER_REFUSED not counted'],
    [replied('421 4.2.1 Closing'), 'RELAY_UNAVAILABLE not counted'],
    [replied('450 4.1.1 Try later', { relayInTrouble: true }), 'RELAY_UNAVAILABLE not counted'],
    [{ kind: 'lost', dotWritten: false, reason: 'Connection closed' } as const, 'RELAY_UNAVAILABLE not counted'],
  ])('says at the end of the schedule whether it counts: %j: %s', (report, expected) => {
    expect(decided(report, 1)).toBeNull();
    expect(decided(report, giveUpAfterSeconds)).toBe(expected);
  });
});
