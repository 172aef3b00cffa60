import { describe, expect, it } from '@jest/globals';
import { observeRelay, wellRelay } from './relay-health.js';

const after = (signs: ('well' | 'busy' | 'ill')[]) => {
  let health = wellRelay;
  const waits: number[] = [];
  for (const sign of signs) {
    const next = observeRelay(health, sign, 'refused');
    health = next.health;
    waits.push(next.wait);
  }
  return { health, waits };
};

describe('observeRelay', () => {
  it('forgives a connection that ends', () => {
    expect(after(['ill', 'ill']).health.trouble).toBeNull();
    expect(after(['ill', 'ill', 'well', 'ill', 'ill']).health.trouble).toBeNull();
  });

  it('leaves a relay alone longer and longer once it failed three times', () => {
    const { health, waits } = after(Array.from({ length: 9 }, () => 'ill' as const));
    expect(waits).toEqual([0, 0, 1, 2, 4, 8, 15, 15, 15]);
    expect(health.trouble).toBe('refused');
  });

  it('does the same when it only ever says later', () => {
    const { waits } = after(Array.from({ length: 42 }, () => 'busy' as const));
    expect(waits.slice(38)).toEqual([0, 1, 2, 4]);
  });

  it('is well again with the first message taken', () => {
    expect(after([...Array.from({ length: 9 }, () => 'ill' as const), 'well']).health).toEqual(wellRelay);
  });
});
