import { describe, expect, it } from '@jest/globals';
import type { TokenFacts } from '#contracts';
import { CredentialCache } from './credential-cache.js';

const facts = (change: Partial<TokenFacts> = {}): TokenFacts => ({
  tokenId: 'tok_1',
  organizationId: 'org_1',
  scopes: ['read'],
  selfConfirm: true,
  expiresAt: null,
  plan: 'FREE',
  ratePerMinute: 100,
  quotas: { contacts: null, mailsPerMonth: null, domains: null },
  cell: null,
  ...change,
});

function setUp(known: Record<string, TokenFacts | undefined>) {
  const link = { connected: true, disconnects: 0 };
  const clock = { now: 1_800_000_000_000 };
  const asked: string[] = [];
  const cache = new CredentialCache<TokenFacts>(
    link,
    (hash) => {
      asked.push(hash);
      return Promise.resolve(known[hash] ?? null);
    },
    () => clock.now,
  );
  return { link, clock, asked, cache, known };
}

describe('the cache of credentials', () => {
  it('believes a token for 30 seconds, and an unknown one for a second', async () => {
    const { cache, clock, asked } = setUp({ a: facts() });
    for (const hash of ['a', 'b', 'a', 'b']) await cache.find(hash);
    expect(asked).toEqual(['a', 'b']);
    clock.now += 1_000;
    await cache.find('a');
    await cache.find('b');
    expect(asked).toEqual(['a', 'b', 'b']);
    clock.now += 29_000;
    await cache.find('a');
    expect(asked).toEqual(['a', 'b', 'b', 'a']);
  });

  it('asks once for calls that arrive together', async () => {
    const { cache, asked } = setUp({ a: facts() });
    const found = await Promise.all([cache.find('a'), cache.find('a'), cache.find('a')]);
    expect(found).toEqual([facts(), facts(), facts()]);
    expect(asked).toEqual(['a']);
  });

  it('expires a token within its cache time', async () => {
    const { cache, clock } = setUp({});
    const expiring = setUp({ a: facts({ expiresAt: new Date(clock.now + 5_000).toISOString() }) });
    expect(await expiring.cache.find('a')).not.toBeNull();
    expiring.clock.now += 5_000;
    expect(await expiring.cache.find('a')).toBeNull();
    expect(await cache.find('a')).toBeNull();
  });

  it.each([
    ['the token', (_facts: TokenFacts, hash: string) => hash === 'a', ['a']],
    ['its organization', ({ organizationId }: TokenFacts) => organizationId === 'org_1', ['a']],
    ['another organization', ({ organizationId }: TokenFacts) => organizationId === 'org_2', []],
  ])('forgets a token on a broadcast change of %s', async (_whom, concerns, askedAgain) => {
    const { cache, asked } = setUp({ a: facts() });
    await cache.find('a');
    asked.length = 0;
    cache.forget(concerns);
    await cache.find('a');
    expect(asked).toEqual(askedAgain);
  });

  it('does not keep an answer that a change overtook', async () => {
    const { cache, asked } = setUp({ a: facts() });
    const finding = cache.find('a');
    cache.forget((_facts, hash) => hash === 'a');
    await finding;
    await cache.find('a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('believes nothing while the bus is away, nor what it believed before', async () => {
    const { cache, link, asked } = setUp({ a: facts() });
    await cache.find('a');
    link.connected = false;
    await cache.find('a');
    expect(asked).toHaveLength(2);
    link.disconnects += 1;
    link.connected = true;
    await cache.find('a');
    expect(asked).toHaveLength(3);
    await cache.find('a');
    expect(asked).toHaveLength(3);
  });

  it('does not let guesses push known tokens out', async () => {
    const { cache, asked } = setUp({ a: facts() });
    await cache.find('a');
    for (let i = 0; i < 3_000; i++) await cache.find(`guess ${i}`);
    asked.length = 0;
    await cache.find('a');
    expect(asked).toEqual([]);
  });
});
