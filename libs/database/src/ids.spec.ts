import { describe, expect, it } from '@jest/globals';
import { createdAtOf, lowestUuidAt, newId, newUuid, uuidOf, wireId } from './ids.js';

describe('ids', () => {
  it('are UUIDv7 that ascend within a process', () => {
    const uuids = Array.from({ length: 20_000 }, newUuid);
    expect(
      uuids.every((uuid) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)),
    ).toBe(true);
    expect([...uuids].sort()).toEqual(uuids);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  it('come back from the wire unchanged', () => {
    for (let i = 0; i < 1000; i++) {
      const uuid = newUuid();
      const wire = wireId('sub', uuid);
      expect(wire).toMatch(/^sub_[0-9a-hjkmnp-tv-z]{26}$/);
      expect(uuidOf('sub', wire)).toBe(uuid);
    }
    expect(uuidOf('sub', wireId('sub', 'ffffffff-ffff-ffff-ffff-ffffffffffff'))).toBe(
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    );
  });

  it('of another kind or shape belong to nothing', () => {
    const id = newId('tag');
    expect(uuidOf('sub', id)).toBeNull();
    for (const text of [
      '',
      'tag_',
      id.toUpperCase(),
      `${id}0`,
      id.replace('_', '-'),
      "tag_' or true",
      null,
      undefined,
    ]) {
      expect(uuidOf('tag', text)).toBeNull();
    }
  });

  it('have a lowest one at each instant', () => {
    const id = newUuid();
    const at = createdAtOf(id);
    expect(lowestUuidAt(at) <= id && id < lowestUuidAt(new Date(at.getTime() + 1))).toBe(true);
    expect(createdAtOf(lowestUuidAt(at))).toEqual(at);
    expect(createdAtOf(lowestUuidAt(new Date('1969-01-01')))).toEqual(new Date(0));
  });

  it('tell their own time', () => {
    const before = Date.now();
    expect(createdAtOf(newId('cmp')).getTime()).toBeGreaterThanOrEqual(before);
    expect(createdAtOf(newUuid()).getTime()).toBeLessThan(Date.now() + 1000);
  });
});
