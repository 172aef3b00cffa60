import { describe, expect, it } from '@jest/globals';
import { createdAtOf } from '#database';
import { hitKey } from './hit-key.js';

const now = new Date('2026-05-04T10:00:00.123Z');
const hitId = '9b2f6c1e-4a5d-4e8f-9a0b-1c2d3e4f5a6b';

describe('hitKey', () => {
  it('is a UUIDv7 of the time of the hit, the same each time', () => {
    const key = hitKey({ hitId, at: now.toISOString() }, now)!;
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7e8f-8a0b-1c2d3e4f5a6b$/);
    expect(createdAtOf(key)).toEqual(now);
    expect(hitKey({ hitId: hitId.toUpperCase(), at: now.toISOString() }, now)).toBe(key);
  });

  it('is none for a time that the inbox does not cover, or no id', () => {
    const days = (n: number) => new Date(now.getTime() + n * 86_400_000).toISOString();
    expect([days(-3), days(3)].map((at) => hitKey({ hitId, at }, now))).toEqual([null, null]);
    expect(hitKey({ hitId: 'x', at: now.toISOString() }, now)).toBeNull();
    expect(hitKey({ hitId, at: 'soon' }, now)).toBeNull();
  });
});
