import { describe, expect, it } from '@jest/globals';
import { deriveKey } from './derive-key.js';
import { ExportTokens } from './export-tokens.js';

const tokens = new ExportTokens(deriveKey('5f'.repeat(32), 'exports'));
const now = new Date('2026-05-01T12:00:00.000Z');
const link = { organizationId: 'org_1', exportId: 'exp_1', expiresAt: new Date('2026-05-02T12:00:00.000Z') };

describe('the token of a download', () => {
  it('opens what it was made for until its time is over', () => {
    const token = tokens.seal(link);
    expect(tokens.open(token, now)).toEqual(link);
    expect(tokens.open(token, new Date(link.expiresAt.getTime() - 1))).toEqual(link);
    expect(tokens.open(token, link.expiresAt)).toBeNull();
  });

  it('is nothing when a letter of it is changed, added or missing, or when another key made it', () => {
    const token = tokens.seal(link);
    for (let at = 0; at < token.length; at++) {
      const letter = token[at] === 'A' ? 'B' : 'A';
      expect(tokens.open(token.slice(0, at) + letter + token.slice(at + 1), now)).toBeNull();
    }
    const other = new ExportTokens(deriveKey('60'.repeat(32), 'exports')).seal(link);
    for (const wrong of [`${token}A`, token.slice(0, -1), '', 'x'.repeat(10_000), other])
      expect(tokens.open(wrong, now)).toBeNull();
  });
});
