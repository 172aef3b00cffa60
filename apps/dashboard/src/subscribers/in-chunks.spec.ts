import { describe, expect, it } from '@jest/globals';
import { inChunks } from './in-chunks.js';
import type { ChunkProgress } from './in-chunks.js';

const ids = ['a', 'b', 'c', 'd', 'e'];
const start: ChunkProgress = { done: 0, changed: 0 };

describe('inChunks', () => {
  it('stops between two parts, and continues where it stopped', async () => {
    const parts: string[][] = [];
    let isStopped = false;
    const change = (part: string[]) => {
      parts.push(part);
      isStopped = parts.length === 1;
      return Promise.resolve(part.length - 1);
    };
    const options = { report: () => undefined, isStopped: () => isStopped };
    const stopped = await inChunks(ids, 2, change, { from: start, ...options });
    expect(stopped).toEqual({ done: 2, changed: 1 });
    expect(parts).toEqual([['a', 'b']]);
    isStopped = false;
    expect(await inChunks(ids, 2, change, { from: stopped, ...options })).toEqual({ done: 5, changed: 2 });
    expect(parts).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('reports what was done before a part failed', async () => {
    const reports: ChunkProgress[] = [];
    const change = (part: string[]) => (part.includes('c') ? Promise.reject(new Error('away')) : Promise.resolve(2));
    const work = inChunks(ids, 2, change, { from: start, report: (now) => reports.push(now), isStopped: () => false });
    await expect(work).rejects.toThrow('away');
    expect(reports).toEqual([{ done: 2, changed: 2 }]);
  });
});
