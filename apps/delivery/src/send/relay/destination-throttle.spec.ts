import { describe, expect, it } from '@jest/globals';
import type { AttemptReport } from '../../message/attempt-report.js';
import { receiverOf, DestinationThrottle } from './destination-throttle.js';

const reply = (response: string): AttemptReport => ({ kind: 'replied', code: Number(response.slice(0, 3)), response });
const busy = reply('451 4.7.0 [TSS04] Messages temporarily deferred');
const taken = reply('250 2.0.0 Ok');

const reported = (receivers: DestinationThrottle, report: AttemptReport | null, nowMs = 0, times = 1): boolean => {
  let isFound = false;
  for (let n = 0; n < times; n += 1) {
    receivers.begin('slow.example');
    isFound = receivers.end('slow.example', report, nowMs);
  }
  return isFound;
};

describe('Receivers', () => {
  it('leave a domain alone that refuses five times in a row, and no other', () => {
    const receivers = new DestinationThrottle(null);
    expect(reported(receivers, busy, 0, 4)).toBe(false);
    expect(receivers.holdOf('slow.example', 0)).toBeNull();
    expect(reported(receivers, busy)).toBe(true);
    expect(receivers.holdOf('slow.example', 0)).toEqual({
      wait: 30,
      reason:
        'slow.example takes no mail at the moment (451 4.7.0 [TSS04] Messages temporarily deferred). It is tried again.',
    });
    expect(receivers.holdOf('other.example', 0)).toBeNull();
    expect(receivers.leftAlone(0)).toEqual(['slow.example']);
    expect(receivers.holdOf('slow.example', 30_000)).toBeNull();
    expect(receivers.leftAlone(30_000)).toEqual([]);
  });

  it('are not affected by replies about the sender, before the recipient is given', () => {
    const receivers = new DestinationThrottle(null);
    const refused: AttemptReport = { kind: 'replied', code: 421, response: '421 4.7.0 Too fast', stage: 'MAIL' };
    expect(reported(receivers, refused, 0, 30)).toBe(false);
  });

  it('do not count on when something was taken in between', () => {
    const receivers = new DestinationThrottle(null);
    reported(receivers, busy, 0, 4);
    reported(receivers, taken);
    expect(reported(receivers, busy, 0, 4)).toBe(false);
  });

  it('let one message try when the time is over, wait longer each time, and half an hour at most', () => {
    const receivers = new DestinationThrottle(null);
    reported(receivers, busy, 0, 5);
    const waits: number[] = [];
    for (let now = 0; waits.length < 8;) {
      now += receivers.holdOf('slow.example', now)!.wait * 1000;
      receivers.begin('slow.example');
      expect(receivers.holdOf('slow.example', now)).toMatchObject({ wait: 60 });
      expect(receivers.end('slow.example', busy, now)).toBe(true);
      waits.push(receivers.holdOf('slow.example', now)!.wait);
    }
    expect(waits).toEqual([60, 120, 300, 900, 1800, 1800, 1800, 1800]);
  });

  it('are healthy again with the first accepted message, and ignore attempts started before', () => {
    const receivers = new DestinationThrottle(null);
    reported(receivers, busy, 0, 5);
    expect(reported(receivers, busy, 1_000, 20)).toBe(false);
    expect(receivers.holdOf('slow.example', 1_000)).toMatchObject({ wait: 29 });
    reported(receivers, taken, 31_000);
    expect(receivers.holdOf('slow.example', 31_000)).toBeNull();
    expect(reported(receivers, busy, 31_000, 4)).toBe(false);
  });

  it.each([
    '450 4.2.0 Greylisted, try again later',
    '451 4.7.1 Greylisting in action, please come back later',
    '452 4.2.2 The mailbox is full',
    '450 4.1.1 Unverified address',
    '451 4.3.2 System not accepting mail',
    '451 Later',
    '452 Mailbox size limit exceeded',
    '450 ada@corporate.example is not known yet',
  ])('are not affected by replies about one mailbox or the relay, or that pass by trying: %s', (response) => {
    expect(reported(new DestinationThrottle(null), reply(response), 0, 30)).toBe(false);
  });

  it.each([
    '421 4.7.28 Unusual rate of unsolicited mail',
    '450 4.4.1 Connection timed out',
    '421 Too many connections',
    '450 Rate limit exceeded',
  ])('are judged by throttling, and by a way that is not there: %s', (response) => {
    expect(reported(new DestinationThrottle(null), reply(response), 0, 5)).toBe(true);
  });

  it('are not affected by a broken connection or a message that was not attempted', () => {
    const receivers = new DestinationThrottle(null);
    expect(reported(receivers, { kind: 'lost', dotWritten: false, reason: 'gone' }, 0, 30)).toBe(false);
    expect(reported(receivers, null, 0, 30)).toBe(false);
  });

  it('are forgotten, the first met first, when there are very many', () => {
    const receivers = new DestinationThrottle(null);
    reported(receivers, busy, 0, 5);
    for (let n = 0; n < 10_000; n++) {
      expect(receivers.leftAlone(0)).toHaveLength(1);
      receivers.begin(`d${n}.example`);
      receivers.end(`d${n}.example`, busy, 0);
    }
    expect(receivers.leftAlone(0)).toEqual([]);
  });

  it('have at most the allowed number of attempts open at a time', () => {
    const receivers = new DestinationThrottle(2);
    for (const room of [true, true, false]) {
      expect(receivers.hasRoom('slow.example')).toBe(room);
      if (room) receivers.begin('slow.example');
    }
    expect(receivers.hasRoom('other.example')).toBe(true);
    receivers.end('slow.example', taken, 0);
    expect(receivers.hasRoom('slow.example')).toBe(true);
  });

  it('are separated by domain', () => {
    const addresses = ['Ada@Slow.Example', '"a@b"@slow.example', 'ada@Münster.example'];
    expect(addresses.map(receiverOf)).toEqual(['slow.example', 'slow.example', 'xn--mnster-3ya.example']);
  });
});
