import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from './token-bucket.js';

/** Counts the messages admitted within some milliseconds when more are always waiting. */
function goneWithin(pace: TokenBucket, from: number, ms: number): number {
  let gone = 0;
  for (let now = from; now < from + ms;) {
    const wait = pace.wait(now);
    if (wait > 0) now += wait;
    else {
      pace.take();
      gone += 1;
    }
  }
  return gone;
}

describe('Pace', () => {
  it.each([1, 7, 100])('releases %d messages a second', (perSecond) => {
    const gone = goneWithin(new TokenBucket(perSecond, 0), 0, 10_000);
    expect(gone).toBeGreaterThanOrEqual(perSecond * 10 - 1);
    expect(gone).toBeLessThanOrEqual(perSecond * 10 + 1);
  });

  it('is the same after a pause of an hour, but for what one second gathers', () => {
    const pace = new TokenBucket(10, 0);
    goneWithin(pace, 0, 1_000);
    expect(goneWithin(pace, 3_600_000, 2_000)).toBeLessThanOrEqual(31);
    expect(goneWithin(pace, 3_602_000, 2_000)).toBeLessThanOrEqual(21);
  });

  it('admits urgent messages first, and lengthens the wait of the others by as much', () => {
    const pace = new TokenBucket(10, 0);
    for (let n = 0; n < 3; n++) {
      expect(pace.wait(0, 2)).toBe(0);
      pace.take();
    }
    expect(pace.wait(0, 2)).toBe(100);
    expect(pace.wait(0)).toBe(300);
  });

  it('returns the permit of a message that was not sent, and has no limit by default', () => {
    const pace = new TokenBucket(1, 0);
    pace.take();
    expect(pace.wait(0)).toBe(1000);
    pace.giveBack();
    expect(pace.wait(0)).toBe(0);
    expect(goneWithin(new TokenBucket(1e9, 0), 0, 1)).toBeGreaterThan(0);
    expect(new TokenBucket(null, 0).wait(0)).toBe(0);
  });
});
