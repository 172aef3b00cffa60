import { describe, expect, it } from '@jest/globals';
import {
  createdAtOf,
  isByPosition,
  isMessageByPosition,
  lowestUuidAt,
  messageIdAt,
  newId,
  newSendUuid,
  newUuid,
  positionOf,
  slotOf,
  uuidOf,
  wireId,
} from './ids.js';

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

describe('ids by position', () => {
  const send = '0198c0de-1234-8abc-9def-abcd00000000';

  it('are the id of the send with chunk and position', () => {
    expect(messageIdAt(send, 0, 0)).toBe(send);
    expect(messageIdAt(send, 1, 499)).toBe('0198c0de-1234-8abc-9def-abcd000005f3');
    expect(messageIdAt(send, 2 ** 21 - 1, 1023)).toBe('0198c0de-1234-8abc-9def-abcd7fffffff');
  });

  it('lead back to send, chunk and position', () => {
    for (const [chunk, position] of [
      [0, 0],
      [0, 499],
      [1, 0],
      [12_345, 77],
      [2 ** 21 - 1, 1023],
    ] as const) {
      const id = messageIdAt(send, chunk, position);
      expect(positionOf(id)).toEqual({ sendUuid: send, chunk, position });
      expect(uuidOf('msg', wireId('msg', id))).toBe(id);
    }
  });

  it('ascend with chunk and position, and share the time of their send', () => {
    const ids = [0, 1, 2, 700].flatMap((chunk) => [0, 1, 499].map((position) => messageIdAt(send, chunk, position)));
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => createdAtOf(id).getTime() === createdAtOf(send).getTime())).toBe(true);
  });

  it('belong to sends made for them', () => {
    const sends = Array.from({ length: 1000 }, newSendUuid);
    expect(sends.every(isByPosition)).toBe(true);
    expect(new Set(sends).size).toBe(sends.length);
    expect(sends.every((send) => /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-/.test(send))).toBe(true);
    expect(isMessageByPosition(messageIdAt(sends[0]!, 3, 4))).toBe(true);
    expect(isMessageByPosition(newUuid())).toBe(false);
    expect(isByPosition('0198c0de-1234-8abc-9def-abcd00000001')).toBe(false);
    expect(() => messageIdAt('0198c0de-1234-8abc-9def-abcd00000001', 0, 0)).toThrow(RangeError);
  });

  it('exist only for chunks and positions that fit', () => {
    expect(slotOf(2 ** 21 - 1, 1023)).toBe(2 ** 31 - 1);
    for (const [chunk, position] of [
      [-1, 0],
      [0, -1],
      [0, 1024],
      [2 ** 21, 0],
      [0.5, 0],
      [0, Number.NaN],
    ] as const)
      expect(() => slotOf(chunk, position)).toThrow(RangeError);
  });
});
