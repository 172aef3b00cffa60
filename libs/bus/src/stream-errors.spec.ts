import { describe, expect, it } from '@jest/globals';
import { TimeoutError } from '@nats-io/transport-node';
import { apiTimeoutMs, askAgain } from './stream-errors.js';

describe('a request to JetStream that may be repeated', () => {
  const askedWith = async (failures: Error[]): Promise<{ asked: number[]; result: string }> => {
    const asked: number[] = [];
    const ask = (timeoutMs: number): Promise<string> => {
      asked.push(timeoutMs);
      const failure = failures.shift();
      return failure ? Promise.reject(failure) : Promise.resolve('answered');
    };
    const result = await askAgain(ask).catch((error: unknown) => (error as Error).message);
    return { asked, result };
  };

  it('is repeated after a second without an answer', async () => {
    expect(await askedWith([new TimeoutError()])).toEqual({ asked: [1_000, 1_000], result: 'answered' });
  });

  it('gets more time in its last try, and fails with it', async () => {
    const never = [new TimeoutError(), new TimeoutError(), new TimeoutError()];
    expect(await askedWith(never)).toEqual({ asked: [1_000, 1_000, apiTimeoutMs], result: 'timeout' });
  });

  it('is not repeated after an answer that refuses it', async () => {
    expect(await askedWith([new Error('stream not found')])).toEqual({ asked: [1_000], result: 'stream not found' });
  });
});
