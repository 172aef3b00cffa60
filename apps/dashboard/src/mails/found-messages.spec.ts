import { afterEach, describe, expect, it } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import { setOrganization } from '../data/session.js';
import { foundMessages } from './found-messages.js';

describe('foundMessages', () => {
  const realFetch = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = realFetch;
  });

  it('looks further where a call finds none, and returns the first page that has some', async () => {
    setOrganization(1);
    const cursors: unknown[] = [];
    const found = { messages: [{ messageId: 'msg_1' }], nextCursor: 'c3' };
    const answers = [{ messages: [], nextCursor: 'c1' }, { messages: [], nextCursor: 'c2' }, found];
    globalThis.fetch = ((_url: string, { body }: { body: string }) => {
      cursors.push((JSON.parse(body) as { cursor?: string }).cursor);
      return Promise.resolve(new Response(JSON.stringify({ success: true, data: answers.shift() })));
    }) as unknown as typeof fetch;
    const { pages } = await new QueryClient().fetchInfiniteQuery(foundMessages({ query: 'rare', limit: 100 }) as never);
    expect(pages).toEqual([found]);
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
  });

  it('ends behind the last message', async () => {
    setOrganization(1);
    const answers = [
      { messages: [], nextCursor: 'c1' },
      { messages: [], nextCursor: null },
    ];
    globalThis.fetch = () => Promise.resolve(new Response(JSON.stringify({ success: true, data: answers.shift() })));
    const { pages } = await new QueryClient().fetchInfiniteQuery(foundMessages({ limit: 100 }) as never);
    expect(pages).toEqual([{ messages: [], nextCursor: null }]);
    expect(answers).toEqual([]);
  });
});
