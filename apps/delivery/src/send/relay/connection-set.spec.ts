import { describe, expect, it } from '@jest/globals';
import { ConnectionSet } from './connection-set.worker.js';
import { SendConnection } from './send-thread.worker.js';
import type { SendThread } from './send-thread.worker.js';
import { parseRelayUrl } from './relay-address.js';

const address = parseRelayUrl('smtp://127.0.0.1:25');

describe('the set of connections', () => {
  const closed: [number, boolean][] = [];
  const thread = { close: ({ id }: SendConnection, politely: boolean) => closed.push([id, politely]) } as never;
  const otherThread = { ...(thread as object) } as SendThread;
  const setOf = (...connections: SendConnection[]) => {
    closed.length = 0;
    const set = new ConnectionSet();
    for (const one of connections) {
      set.admit(one);
      set.release(one, true, 0);
    }
    return set;
  };

  it('gives several messages of one turn places on one connection of their thread, and no later one', async () => {
    const [first, second] = [
      new SendConnection(thread, 1, address, true),
      new SendConnection(thread, 2, address, true),
    ];
    const set = setOf(first, second);
    const taken = Array.from({ length: 5 }, () => set.take(thread, 3));
    expect(taken).toEqual([second, second, second, first, first]);
    expect([set.idle, set.size]).toEqual([0, 2]);
    await Promise.resolve();
    expect(set.take(thread, 3)).toBeNull();
    for (const connection of [second, second, first, first]) set.give(connection, true, 1);
    expect(set.idle).toBe(1);
    set.give(second, true, 1);
    expect(set.idle).toBe(2);
  });

  it('gives each message its own connection where commands cannot share a write', () => {
    const [first, second] = [
      new SendConnection(thread, 1, address, false),
      new SendConnection(thread, 2, address, false),
    ];
    const set = setOf(first, second);
    expect([set.take(thread, 4), set.take(thread, 4), set.take(thread, 4)]).toEqual([second, first, null]);
  });

  it('gives connections of other threads only where any will do', () => {
    const one = new SendConnection(otherThread, 1, address, true);
    const set = setOf(one);
    expect(set.take(thread, 1)).toBeNull();
    expect(set.take(undefined, 1)).toBe(one);
  });

  it('forgets connections that end, at once or with their last message', () => {
    const [idle, busy] = [new SendConnection(thread, 1, address, true), new SendConnection(thread, 2, address, true)];
    const set = setOf(idle, busy);
    set.take(thread, 1);
    set.take(thread, 1);
    set.give(idle, true, 1);
    for (const one of [idle, busy]) {
      one.usable = false;
      one.onEnd();
    }
    expect([set.size, set.idle, closed]).toEqual([1, 0, [[1, false]]]);
    set.give(busy, true, 1);
    expect([set.size, closed.length]).toEqual([0, 2]);
  });

  it('moves the place of a message to another connection, and quits the first one with its last', () => {
    const [worn, fresh] = [new SendConnection(thread, 1, address, true), new SendConnection(thread, 2, address, true)];
    const set = setOf(worn);
    expect([set.take(thread, 2), set.take(thread, 2)]).toEqual([worn, worn]);
    set.admit(fresh);
    set.move(worn, fresh);
    expect(closed).toEqual([]);
    set.move(worn, fresh);
    expect([closed, fresh.places, set.size]).toEqual([[[1, true]], 2, 1]);
    set.give(fresh, true, 5);
    set.give(fresh, true, 5);
    set.quitIdle(5);
    expect([set.size, closed.length]).toEqual([0, 2]);
  });
});
