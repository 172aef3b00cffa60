import { describe, expect, it } from '@jest/globals';
import { PublicFetcher } from './public-fetcher.client.js';

describe('an address that is never asked', () => {
  const fetcher = new PublicFetcher({ allowed: new Set(['127.0.0.1:4000', 'hooks.internal:443']) });

  it.each([
    ['https://hooks.example.com:6379/hook', 'the port must be 80, 443, 8080 or 8443'],
    ['http://10.0.0.1/', 'the address must be a public one'],
    ['http://[::1]:8080/', 'the address must be a public one'],
    ['http://127.0.0.1:4001/', 'the port must be 80, 443, 8080 or 8443'],
  ])('is %s: %s', (url, problem) => expect(fetcher.problemOf(url)).toBe(problem));

  it.each(['http://127.0.0.1:4000/hook', 'https://hooks.internal/', 'https://hooks.example.com:8443/'])(
    'is not %s, which may be asked',
    (url) => expect(fetcher.problemOf(url)).toBeNull(),
  );
});
