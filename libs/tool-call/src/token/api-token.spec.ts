import { describe, expect, it } from '@jest/globals';
import { hashApiToken, isPossibleApiToken, makeApiToken } from './api-token.js';

describe('an API token', () => {
  it('is tdg_ and 40 base62 letters, another one each time', () => {
    const tokens = Array.from({ length: 500 }, makeApiToken);
    for (const token of tokens) expect(token).toMatch(/^tdg_[0-9A-Za-z]{40}$/);
    expect(new Set(tokens).size).toBe(500);
  });

  it('uses every letter about equally often', () => {
    const counts = new Map<string, number>();
    const letters = Array.from({ length: 2000 }, () => makeApiToken().slice(4, 38)).join('');
    for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 1,097 expected, standard deviation 33: six of them leave 2e-9 a letter.
    for (const count of counts.values()) expect(Math.abs(count - letters.length / 62)).toBeLessThan(200);
  });

  it('differs from one with any single letter changed', () => {
    const token = makeApiToken();
    expect(isPossibleApiToken(token)).toBe(true);
    for (let at = 4; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1);
      expect(isPossibleApiToken(changed)).toBe(false);
    }
  });

  it('keeps its checksum rule for full-length tokens only', () => {
    for (const literal of ['secret', 'tdg_short', `${makeApiToken()}x`, `TDG_${'a'.repeat(40)}`]) {
      expect(isPossibleApiToken(literal)).toBe(true);
    }
    expect(isPossibleApiToken('')).toBe(false);
    // CRC-32 of 34 zeros, worked out apart from this code: 0x277f8325, in base62 0iqUEf.
    expect(isPossibleApiToken(`tdg_${'0'.repeat(34)}0iqUEf`)).toBe(true);
    expect(isPossibleApiToken(`tdg_${'0'.repeat(34)}0iqUEg`)).toBe(false);
  });

  it('is stored as its SHA-256 in hex', () => {
    expect(hashApiToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
