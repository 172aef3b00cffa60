import { describe, expect, it } from '@jest/globals';
import { PipeliningMemory } from './pipelining.js';

const relay = 'mx.shop.internal:25';

describe('the memory of what pipelining works', () => {
  it('uses less after two failures with no success between them, down to one command at a time', () => {
    const memory = new PipeliningMemory();
    expect(memory.of(relay)).toBe('ahead');
    expect(memory.failed(relay, 'ahead', 0)).toBe(false);
    memory.worked(relay, 'ahead');
    expect(memory.failed(relay, 'ahead', 2_000)).toBe(false);
    // A message with a write of its own says nothing of those that share one.
    memory.worked(relay, 'group');
    expect(memory.failed(relay, 'ahead', 4_000)).toBe(true);
    expect(memory.of(relay)).toBe('group');
    expect([memory.failed(relay, 'group', 6_000), memory.failed(relay, 'group', 8_000)]).toEqual([false, true]);
    expect(memory.of(relay)).toBe('none');
    expect(memory.of('other.internal:25')).toBe('ahead');
  });

  it('takes the end of all connections at once for one failure', () => {
    const memory = new PipeliningMemory();
    for (let n = 0; n < 40; n++) expect(memory.failed(relay, 'group', n)).toBe(false);
    expect(memory.of(relay)).toBe('ahead');
  });

  it('learns the worst first where no group works', () => {
    const memory = new PipeliningMemory();
    memory.failed(relay, 'group', 0);
    expect(memory.failed(relay, 'group', 1_000)).toBe(true);
    expect(memory.of(relay)).toBe('none');
    expect(memory.failed(relay, 'ahead', 9_000)).toBe(false);
  });
});
