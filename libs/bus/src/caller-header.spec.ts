import { describe, expect, it } from '@jest/globals';
import { serviceCaller } from './bus.js';
import { CallerReader, writeCaller } from './caller-header.js';

const hourMs = 3_600_000;

/** A process elsewhere whose clocks are off by these milliseconds. */
const elsewhere = (wallOffMs: number, monotonicOffMs: number, underWay = { ms: 0 }) =>
  new CallerReader(
    () => Date.now() + wallOffMs + underWay.ms,
    () => performance.now() + monotonicOffMs + underWay.ms,
  );

describe('a caller on its way to another process', () => {
  it.each([hourMs, -hourMs])('keeps its deadline as a duration when the clocks differ by %s ms', (off) => {
    const caller = serviceCaller('org_1', 'r', 25_000);
    const read = elsewhere(off, 123_456_789).read(writeCaller(caller));
    expect(Math.abs(read.deadline - off - caller.deadline)).toBeLessThan(1_000);
    expect(Math.abs(read.now.getTime() - off - caller.now.getTime())).toBeLessThan(1_000);
  });

  it('counts the time that a request waited in a queue', () => {
    const underWay = { ms: 0 };
    const reader = elsewhere(-hourMs, 5_000, underWay);
    reader.read(writeCaller(serviceCaller('org_1', 'first')));
    const sent = writeCaller(serviceCaller('org_1', 'second', 10_000));
    underWay.ms = 15_000;
    const read = reader.read(sent);
    const nowThere = Date.now() - hourMs + underWay.ms;
    expect(read.deadline).toBeLessThan(nowThere);
    expect(Math.abs(nowThere - 15_000 - read.now.getTime())).toBeLessThan(1_000);
  });

  it('takes the instants of a sender of an older version as they are', () => {
    const caller = serviceCaller('org_1', 'r');
    expect(elsewhere(hourMs, 0).read(JSON.stringify(caller))).toEqual(caller);
  });
});
