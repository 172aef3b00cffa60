import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LiveUpdate } from '#contracts';
import { LiveUpdates } from './live-updates.js';

const campaign = (numbers: Record<string, number> = {}) =>
  ({ name: 'campaign.progress', id: 'cmp_1', organization: 'org_1', numbers }) as const;

describe('live updates', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Updates that are sent, and their publisher. */
  function publisher(send?: (update: LiveUpdate) => void) {
    const sent: LiveUpdate['numbers'][] = [];
    return { sent, updates: new LiveUpdates(send ?? (({ numbers }) => sent.push(numbers))) };
  }

  it('are sent once a second and record, the last always', async () => {
    const { sent, updates } = publisher();
    for (const at of [1, 2, 3]) updates.publish(campaign({ sent: at }));
    await jest.advanceTimersByTimeAsync(999);
    expect(sent).toEqual([{ sent: 1 }]);
    await jest.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([{ sent: 1 }, { sent: 3 }]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(sent).toHaveLength(2);
  });

  it('read their numbers for at most a twentieth of the time', async () => {
    const { sent, updates } = publisher();
    const read = async () => {
      // oxlint-disable-next-line tidings/fixed-waits -- on the clock of the test
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { sent: 1 };
    };
    for (let second = 0; second < 16; second++) {
      updates.publishNumbers(campaign(), read);
      await jest.advanceTimersByTimeAsync(1_000);
    }
    // Each takes 200 ms of at least 4.2 s.
    expect(sent).toHaveLength(4);
  });

  it('try the last numbers once more when they cannot be read', async () => {
    const { sent, updates } = publisher();
    let reads = 0;
    updates.publishNumbers(campaign(), () => {
      reads += 1;
      return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve({ sent: 5 });
    });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(sent).toEqual([{ sent: 5 }]);
  });

  it('are dropped, without an error, when they cannot be sent', async () => {
    const { updates } = publisher(() => {
      throw new Error('the connection is closed');
    });
    updates.publish(campaign());
    updates.publishNumbers({ ...campaign(), id: 'cmp_2' }, () => Promise.resolve({ sent: 1 }));
    await jest.advanceTimersByTimeAsync(5_000);
  });

  it('that wait are sent when the process stops', async () => {
    const { sent, updates } = publisher();
    for (const at of [1, 2]) updates.publish(campaign({ sent: at }));
    await jest.advanceTimersByTimeAsync(0);
    await updates.flush();
    expect(sent).toEqual([{ sent: 1 }, { sent: 2 }]);
  });
});
