import { describe, expect, it, jest } from '@jest/globals';
import { failureOf, RemoteFailure, ToolError } from '#tool-call';
import { ResponseCache } from './response-cache.js';

function setUp() {
  const bus = { disconnects: 0 };
  const owner = { says: 'old' as string | null, asked: 0, failure: null as Error | null };
  const answers = new ResponseCache<string>(bus);
  const find = (key = 'a') =>
    answers.find(key, () => {
      owner.asked += 1;
      return owner.failure ? Promise.reject(owner.failure) : Promise.resolve(owner.says);
    });
  return { bus, owner, answers, find };
}

describe('recent answers', () => {
  it('are asked for again after 30 seconds, when one is forgotten, and when word may have been missed', async () => {
    const { bus, owner, answers, find } = setUp();
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    await find();
    owner.says = 'new';
    expect([await find(), owner.asked]).toEqual(['old', 1]);
    answers.forget('b');
    expect(await find()).toBe('old');
    answers.forget('a');
    expect([await find(), owner.asked]).toEqual(['new', 2]);
    bus.disconnects += 1;
    await find();
    expect([await find(), owner.asked]).toEqual(['new', 3]);
    clock.mockReturnValue(now + 29_000);
    await find();
    expect(owner.asked).toBe(3);
    clock.mockReturnValue(now + 31_000);
    await find();
    expect(owner.asked).toBe(4);
    clock.mockRestore();
  });

  it('are not kept where a change may have overtaken them, nor where there is nothing', async () => {
    const { owner, answers, find } = setUp();
    const asking = find();
    answers.forget('a');
    expect(await asking).toBe('old');
    owner.says = null;
    expect([await find(), await find(), owner.asked]).toEqual([null, null, 3]);
  });

  it('serve while their owner is unavailable, unless the answer is "none" or was never requested', async () => {
    const { bus, owner, find } = setUp();
    await find();
    bus.disconnects += 1;
    owner.failure = new RemoteFailure(failureOf(new ToolError('SERVICE_UNAVAILABLE', { service: 'domain' })).error);
    expect(await find()).toBe('old');
    await expect(find('b')).rejects.toBe(owner.failure);
    owner.failure = new RemoteFailure(failureOf(new ToolError('ORGANIZATION_NOT_FOUND', { id: 'org_1' })).error);
    await expect(find()).rejects.toBe(owner.failure);
  });
});
