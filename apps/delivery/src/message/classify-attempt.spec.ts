import { describe, expect, it } from '@jest/globals';
import { classifyRefusal } from './bounce-class.js';
import { enhancedCodeOf, isFinalRefusal, relayVerdict } from './attempt-report.js';
import type { AttemptReport, SmtpStage } from './attempt-report.js';
import { classifyAttempt } from './classify-attempt.js';
import type { AttemptResult } from './message.js';
import { giveUpAfterSeconds } from './retry-schedule.js';

const facts = { attempts: 1, age: 1, accepted: 'DELIVERED' as const, mustArrive: false };
const replied = (code: number, response = `${code} text`): AttemptReport => ({ kind: 'replied', code, response });
const toRecipient = (response: string): AttemptReport => ({
  kind: 'replied',
  code: Number(response.slice(0, 3)),
  response,
  stage: 'RCPT',
});
/** The class of the stored outcome. */
const classOf = ({ code, enhancedCode, response }: AttemptResult) => classifyRefusal(code, enhancedCode, response);
const lost = (dotWritten: boolean): AttemptReport => ({ kind: 'lost', dotWritten, reason: 'Connection closed' });

describe('judgeHandOver', () => {
  const table: [AttemptReport, string, number | null, ReturnType<typeof relayVerdict>][] = [
    [replied(250), 'DELIVERED', null, 'well'],
    [replied(251), 'DELIVERED', null, 'well'],
    [replied(421), 'DEFERRED', 15, 'ill'],
    [replied(450), 'DEFERRED', 15, 'busy'],
    [replied(451), 'DEFERRED', 15, 'busy'],
    [replied(452), 'DEFERRED', 15, 'busy'],
    [replied(500), 'DEFERRED', 15, 'ill'],
    [replied(501, '501 5.1.3 Bad recipient address syntax'), 'FAILED', null, 'well'],
    [replied(501, '501 5.5.4 Syntax: EHLO hostname'), 'DEFERRED', 15, 'ill'],
    [toRecipient('501 Error: Bad recipient address syntax'), 'FAILED', null, 'well'],
    [toRecipient('501 5.5.2 <x>: Helo command rejected: Invalid name'), 'DEFERRED', 15, 'ill'],
    [toRecipient('501 HELO with your name first'), 'DEFERRED', 15, 'ill'],
    [replied(501), 'DEFERRED', 15, 'ill'],
    [toRecipient('503 need MAIL command'), 'DEFERRED', 15, 'ill'],
    [replied(503), 'DEFERRED', 15, 'ill'],
    [replied(530), 'DEFERRED', 15, 'ill'],
    [replied(535), 'DEFERRED', 15, 'ill'],
    [replied(550), 'FAILED', null, 'well'],
    [replied(552), 'FAILED', null, 'well'],
    [replied(554), 'FAILED', null, 'well'],
    [lost(false), 'DEFERRED', 15, 'ill'],
    [lost(true), 'IN_DOUBT', null, 'ill'],
    [{ kind: 'withheld', reason: 'too late' }, 'DEFERRED', 0, null],
    [{ kind: 'simulated' }, 'DELIVERED', null, null],
  ];
  it.each(table)('%j', (report, state, wait, verdict) => {
    expect(classifyAttempt(report, facts)).toMatchObject({ state, wait });
    expect(relayVerdict(report)).toBe(verdict);
  });

  it.each(['550 Requested action not taken', '553 5.1.0 no such address', '550 5.1.1 Invalid sender'])(
    'holds nothing against a recipient where the relay refused the sender: %s',
    (response) => {
      const code = Number(response.slice(0, 3));
      const refused = classifyAttempt({ kind: 'replied', code, response, stage: 'MAIL' }, facts);
      expect(refused).toMatchObject({ state: 'FAILED', code, response: `${response} (in answer to MAIL FROM)` });
      expect(classOf(refused)).toEqual({ bounceType: 'SOFT', bounceCategory: 'POLICY' });
      expect(classOf(classifyAttempt(toRecipient(response), facts)).bounceType).toBe('HARD');
    },
  );

  it.each([
    ['550 User unknown', 'SOFT POLICY', 'HARD NO_SUCH_USER'],
    ['550', 'SOFT POLICY', 'HARD NO_SUCH_USER'],
    ['550 5.0.0 No such user here', 'SOFT POLICY', 'HARD NO_SUCH_USER'],
    ['550 5.7.1 Recipient address rejected: user unknown', 'SOFT POLICY', 'HARD NO_SUCH_USER'],
    ['550 5.4.1 Recipient address rejected: Access denied', 'SOFT POLICY', 'HARD NO_SUCH_USER'],
    ['552 5.2.2 Mailbox full', 'SOFT MAILBOX_FULL', 'SOFT MAILBOX_FULL'],
    ['550 5.1.1 User unknown', 'HARD NO_SUCH_USER', 'HARD NO_SUCH_USER'],
    ["554 delivery error: dd This user doesn't have an account", 'HARD NO_SUCH_USER', 'HARD NO_SUCH_USER'],
  ])(
    'believes that an accepted recipient does not exist only by a code or phrase that says so of the address: %s',
    (response, afterData, atRcpt) => {
      const code = Number(response.slice(0, 3));
      const held = (stage: SmtpStage) => {
        const { bounceType, bounceCategory } = classOf(
          classifyAttempt({ kind: 'replied', code, response, stage }, facts),
        );
        return `${bounceType} ${bounceCategory}`;
      };
      expect({ DATA: held('DATA'), END_OF_DATA: held('END_OF_DATA'), RCPT: held('RCPT') }).toEqual({
        DATA: afterData,
        END_OF_DATA: afterData,
        RCPT: atRcpt,
      });
    },
  );

  it.each([
    ['MAIL', '550 No (in answer to MAIL FROM)'],
    ['RCPT', '550 No'],
    ['DATA', '550 No (in answer to DATA)'],
    ['END_OF_DATA', '550 No (in answer to end of DATA)'],
  ] as const)('keeps with a refusal the command that it answers: %s', (stage, response) => {
    const report: AttemptReport = { kind: 'replied', code: 550, response: '550 No', stage };
    expect(classifyAttempt(report, facts).response).toBe(response);
  });

  it('calls a relay that will tell more only SENT', () => {
    expect(classifyAttempt(replied(250), { ...facts, accepted: 'SENT' }).state).toBe('SENT');
  });

  it('tries again what must arrive and may have, until the schedule ends; then it is in doubt', () => {
    const must = { ...facts, mustArrive: true };
    expect(classifyAttempt(lost(true), must)).toMatchObject({ state: 'DEFERRED', wait: 15 });
    expect(classifyAttempt(lost(true), { ...must, age: giveUpAfterSeconds })).toMatchObject({
      state: 'IN_DOUBT',
      wait: null,
    });
  });

  it('gives up after four days of deferrals, and never while in doubt', () => {
    const old = { ...facts, attempts: 30, age: giveUpAfterSeconds };
    expect(classifyAttempt(replied(451), old)).toMatchObject({ state: 'FAILED', code: 451, wait: null });
    expect(classifyAttempt(lost(false), old)).toMatchObject({ state: 'FAILED', code: null });
    expect(classifyAttempt(lost(true), old).state).toBe('IN_DOUBT');
  });

  it('keeps the reply as one short line with its codes', () => {
    const result = classifyAttempt(replied(550, `550-5.1.1 No such\r\n550 5.1.1 ${'x'.repeat(900)}`), facts);
    expect(result).toMatchObject({ code: 550, enhancedCode: '5.1.1' });
    expect(result.response).toMatch(/^550-5.1.1 No such 550/);
    expect(result.response).toHaveLength(500);
  });
});

it('cuts a reply between characters, so that its fact can be stored', () => {
  for (const words of ['550 ', '550 x']) {
    const { response } = classifyAttempt(replied(550, words + '😀'.repeat(700)), facts);
    expect(Buffer.from(response).toString()).toBe(response);
  }
});

describe('enhancedCodeOf', () => {
  it.each([
    ['550 5.1.1 No such user', '5.1.1'],
    ['250 2.0.0 Ok: queued', '2.0.0'],
    ['452-4.2.2 full', '4.2.2'],
    ['550 No such user 5.1.1', null],
    ['550 5.1.1234 odd', null],
    ['', null],
  ])('%j', (response, code) => expect(enhancedCodeOf(response)).toBe(code));
});

describe('isFinalRefusal', () => {
  it('takes neither replies that pass nor those about the session', () => {
    const isFinal = (code: number) => isFinalRefusal({ code, response: `${code} text` });
    expect([250, 354, 421, 450, 501, 503, 535, 600].filter(isFinal)).toEqual([]);
    expect([521, 550, 551, 552, 553, 554, 556].every(isFinal)).toBe(true);
  });
});
