import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { WriteBatch } from './write-batch.js';

describe('a batch of writes', () => {
  it('is published in its order, after the callbacks of the iteration', async () => {
    const batch = new WriteBatch();
    const published: string[] = [];
    for (const one of ['a', 'b']) void batch.add(() => void published.push(one));
    await Promise.resolve();
    void batch.add(() => void published.push('c'));
    expect(published).toEqual([]);
    await setImmediate();
    expect(published).toEqual(['a', 'b', 'c']);
  });

  it('is published whole when one of it fails, which rejects alone', async () => {
    const batch = new WriteBatch();
    const failed = expect(
      batch.add(() => {
        throw new Error('closed');
      }),
    ).rejects.toThrow('closed');
    const published: string[] = [];
    await batch.add(() => void published.push('b'));
    await failed;
    expect(published).toEqual(['b']);
  });

  it('leaves what is added while it is published to the next', async () => {
    const batch = new WriteBatch();
    const published: string[] = [];
    void batch.add(() => {
      published.push('a');
      void batch.add(() => void published.push('b'));
    });
    await setImmediate();
    expect(published).toEqual(['a']);
    await setImmediate();
    expect(published).toEqual(['a', 'b']);
  });
});
