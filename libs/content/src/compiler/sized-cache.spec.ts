import { describe, expect, it } from '@jest/globals';
import { SizedCache } from './sized-cache.js';

describe('the cache bounded by size', () => {
  it('drops the least recently used entries when the size is exceeded', () => {
    const cache = new SizedCache<string, string>(10, ({ length }) => length);
    cache.set('a', 'aaaa');
    cache.set('b', 'bbbb');
    expect(cache.get('a')).toBe('aaaa');
    cache.set('c', 'cccc');
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual(['aaaa', undefined, 'cccc', 8]);
  });

  it('does not keep a value that is larger than everything may be, and counts a replaced one once', () => {
    const cache = new SizedCache<string, string>(10, ({ length }) => length);
    cache.set('a', 'aaaa');
    cache.set('b', 'b'.repeat(11));
    expect([cache.get('a'), cache.get('b')]).toEqual(['aaaa', undefined]);
    cache.set('a', 'aa');
    expect(cache.size).toBe(2);
    cache.delete('a');
    cache.delete('a');
    expect(cache.size).toBe(0);
  });
});
