import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bounceCategory, bounceType } from './events.js';
import { bounceCauses, decideBounce, decisionOf } from './bounce-cause.js';
import type { BounceFacts } from './bounce-cause.js';

const facts = (change: Partial<BounceFacts>): BounceFacts => ({
  bounceType: 'SOFT',
  bounceCategory: 'TRANSIENT',
  status: null,
  reason: '',
  mailboxDisabled: false,
  relayUnavailable: false,
  retriesExhausted: true,
  ...change,
});
const decided = (change: Partial<BounceFacts>) => {
  const { cause, counted } = decideBounce(facts(change));
  return `${cause} ${counted ? 'counted' : 'not counted'}`;
};

const statuses = [
  null,
  '4.0.0',
  '5.0.0',
  '4.1.1',
  '4.1.8',
  '4.2.0',
  '4.2.1',
  '5.2.1',
  '4.2.2',
  '5.2.2',
  '4.2.3',
].concat(
  ...[['4.3.0', '4.3.1', '5.3.4', '4.4.1', '4.4.2', '4.4.3', '4.4.4', '4.4.5', '4.4.7', '5.5.0', '5.6.0']],
  ...[['4.7.0', '4.7.1', '5.7.1', '5.7.13', '5.7.26']],
);
const reasons = [
  ...['', 'try again later', 'over quota', 'connection timed out', 'daily sending quota exceeded'],
  ...['greylisted', 'too many messages', '550 no (in answer to MAIL FROM)', 'blocked using zen.spamhaus.org'],
];
const both = [false, true];
/** Every type, category, status, wording and circumstance with every other. */
const everyCase: BounceFacts[] = bounceType.options.flatMap((type) =>
  bounceCategory.options.flatMap((category) =>
    statuses.flatMap((status) =>
      reasons.flatMap((reason) =>
        both.flatMap((mailboxDisabled) =>
          both.flatMap((relayUnavailable) =>
            both.map((retriesExhausted) => ({
              bounceType: type,
              bounceCategory: category,
              status,
              reason,
              mailboxDisabled,
              relayUnavailable,
              retriesExhausted,
            })),
          ),
        ),
      ),
    ),
  ),
);

describe('the table of bounce causes', () => {
  it('counts of all types, categories, codes and circumstances only those that are about the mailbox', () => {
    const counted = everyCase.filter((one) => decideBounce(one).counted);
    expect(counted.length).toBeGreaterThan(500);
    const wrong = counted.filter(
      ({ bounceType: type, bounceCategory: category, status, reason, relayUnavailable, ...rest }) =>
        type === 'HARD' ||
        relayUnavailable ||
        !['MAILBOX_FULL', 'TRANSIENT'].includes(category) ||
        /MAIL FROM|sending quota/.test(reason) ||
        (category === 'TRANSIENT' && /greylisted/.test(reason)) ||
        (category === 'TRANSIENT' &&
          !rest.retriesExhausted &&
          !rest.mailboxDisabled &&
          !/^[45]\.(?:2\.1|7\.13)$/.test(status ?? '')),
    );
    expect(wrong).toEqual([]);
  });

  it('reaches every row, so that none is hidden by those before it', () => {
    const rows = new Set(everyCase.map((one) => bounceCauses.findIndex(({ applies }) => applies(one))));
    expect([...rows].sort((a, b) => a - b)).toEqual(bounceCauses.map((_, i) => i));
  });

  it.each(bounceCategory.options.filter((category) => category !== 'MAILBOX_FULL' && category !== 'TRANSIENT'))(
    'never counts a soft bounce of the category %s',
    (category) => {
      const cases = everyCase.filter((one) => one.bounceType === 'SOFT' && one.bounceCategory === category);
      expect(cases.filter((one) => decideBounce(one).counted)).toEqual([]);
    },
  );

  it.each<[Partial<BounceFacts>, string]>([
    [{ bounceType: 'HARD', bounceCategory: 'NO_SUCH_USER', status: '5.1.1' }, 'DEAD_ADDRESS not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', status: '4.2.2' }, 'MAILBOX_FULL counted'],
    [{ bounceCategory: 'MAILBOX_FULL', status: '5.2.2', retriesExhausted: false }, 'MAILBOX_FULL counted'],
    [{ bounceCategory: 'MAILBOX_FULL', status: '4.2.2', reason: 'Too many messages in it' }, 'MAILBOX_FULL counted'],
    [{ bounceCategory: 'MAILBOX_FULL', reason: '452 too many messages from you' }, 'RATE_LIMIT not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', reason: '552 Sender has exceeded the quota' }, 'SENDER_QUOTA not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', reason: '552 You have exceeded your quota' }, 'SENDER_QUOTA not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', reason: '550 Daily message limit reached' }, 'SENDER_QUOTA not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', status: '4.7.1', reason: 'quota' }, 'SENDER_QUOTA not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', status: '4.3.1', reason: 'Insufficient storage' }, 'SYSTEM_FULL not counted'],
    [{ status: '5.2.1', retriesExhausted: false }, 'MAILBOX_DISABLED counted'],
    [{ status: '5.7.13', retriesExhausted: false }, 'MAILBOX_DISABLED counted'],
    [{ mailboxDisabled: true, retriesExhausted: false }, 'MAILBOX_DISABLED counted'],
    [{ status: '4.2.1', reason: 'receiving mail at a rate that prevents delivery' }, 'RATE_LIMIT not counted'],
    [{ status: '4.2.0', reason: 'Recipient address rejected: Greylisted' }, 'RATE_LIMIT not counted'],
    [{ status: '4.1.1' }, 'UNREACHABLE counted'],
    [{ status: '4.2.0' }, 'UNREACHABLE counted'],
    [{ status: '4.4.1' }, 'UNREACHABLE counted'],
    [{ status: '4.4.4' }, 'UNREACHABLE counted'],
    [{ status: '4.1.1', retriesExhausted: false }, 'NOT_RETRIED not counted'],
    [{ reason: 'connect to mx.example.net[192.0.2.1]:25: Connection refused' }, 'UNREACHABLE counted'],
    [{ status: '4.4.3', reason: 'Host not found, try again' }, 'UNREACHABLE counted'],
    [{ status: '4.1.8', reason: 'Domain of sender address does not resolve' }, 'POLICY not counted'],
    [{ status: '4.1.8' }, 'TRANSIENT not counted'],
    [{ status: '4.3.0', reason: 'Temporary lookup failure' }, 'TRANSIENT not counted'],
    [{ status: '4.4.2', reason: 'lost connection' }, 'TRANSIENT not counted'],
    [{ status: '4.7.1', reason: 'Please try later' }, 'TRANSIENT not counted'],
    [{ status: '4.2.0', reason: 'blocked using zen.spamhaus.org' }, 'POLICY not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', status: '4.2.2', relayUnavailable: true }, 'RELAY_UNAVAILABLE not counted'],
    [{ bounceCategory: 'MAILBOX_FULL', reason: 'full (in answer to MAIL FROM)' }, 'SENDER_REFUSED not counted'],
    [{ status: '4.2.2', reason: 'full (in reply to MAIL FROM command)' }, 'SENDER_REFUSED not counted'],
  ])('decides %j: %s', (change, expected) => expect(decided(change)).toBe(expected));

  it('decides events of an older version by what they say, and counts nothing that may pass', () => {
    const old = { bounceType: 'SOFT' as const, status: null, reason: '' };
    const conservative = { retriesExhausted: false };
    expect(decisionOf({ ...old, bounceCategory: 'MAILBOX_FULL' }, conservative).counted).toBe(true);
    expect(decisionOf({ ...old, bounceCategory: 'TRANSIENT', status: '4.4.1' }, conservative).counted).toBe(false);
    expect(decisionOf({ ...old, bounceCategory: 'POLICY' }, conservative).counted).toBe(false);
    const suppression = { cause: 'A_LATER_CAUSE', counted: true };
    expect(decisionOf({ ...old, bounceCategory: 'POLICY', suppression }, conservative)).toEqual(suppression);
  });

  it('is printed in docs/reference/suppression.md, cause by cause', () => {
    const page = readFileSync('docs/reference/suppression.md', 'utf8');
    const printed = [...page.matchAll(/^\| `([A-Z_]+)` \|.*\| (yes|no) \|$/gm)].map(
      ([, cause, counted]) => `${cause} ${counted}`,
    );
    const rows = bounceCauses.map(({ cause, counted }) => `${cause} ${counted ? 'yes' : 'no'}`);
    expect([...printed].sort()).toEqual([...new Set(rows)].sort());
  });
});
