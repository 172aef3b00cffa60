import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deriveKey, LinkTokens } from './index.js';
import type { ClickLink, LinkKind, MessageLink } from './index.js';

const master = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const tokens = new LinkTokens(deriveKey(master, 'links'));
const kinds = ['open', 'unsubscribe', 'preferences', 'view', 'confirm'] as const;

const message: MessageLink = {
  organizationId: '0191f3a0-1234-7abc-8def-0123456789ab',
  messageId: '0191f3a0-1234-7abc-8def-0123456789ac',
  subscriberId: '0191f3a0-1234-7abc-8def-0123456789ad',
  campaignId: '0191f3a0-1234-7abc-8def-0123456789ae',
  period: '2026-01',
};
const { organizationId, messageId, period } = message;
const returnPath = { organizationId, messageId: messageId!, period };
const click: ClickLink = { ...message, link: 9, target: 'https://site.org/päth?a=1&b={x}#y', addTags: ['vip', 'été'] };

const uuid = fc.uuid();
const anyMessage = fc.record({
  organizationId: uuid,
  messageId: fc.option(uuid),
  subscriberId: fc.option(uuid),
  campaignId: fc.option(uuid),
  period: fc
    .tuple(fc.integer({ min: 1970, max: 5000 }), fc.integer({ min: 1, max: 12 }))
    .map(([year, month]) => `${year}-${String(month).padStart(2, '0')}`),
});

/** Every token that differs in one character, over the alphabet that URLs use. */
const changedByOne = (token: string): string[] =>
  [...token].flatMap((was, at) =>
    ['A', 'B', 'z', '0', '1', '-', '_', '.', '=']
      .filter((c) => c !== was)
      .map((c) => token.slice(0, at) + c + token.slice(at + 1)),
  );

describe('LinkTokens', () => {
  it.each(kinds)('opens what it sealed: %s', (kind) => {
    fc.assert(
      fc.property(anyMessage, (payload) => expect(tokens.open(kind, tokens.seal(kind, payload))).toEqual(payload)),
      { seed: 1 },
    );
  });

  it('opens what it sealed: click', () => {
    const text = fc.webUrl({ withFragments: true, withQueryParameters: true });
    fc.assert(
      fc.property(anyMessage, fc.integer({ min: 0, max: 65_535 }), text, (payload, link, target) => {
        const sealed = { ...payload, link, target };
        expect(tokens.open('click', tokens.seal('click', sealed))).toEqual(sealed);
      }),
      { seed: 2 },
    );
  });

  it('carries tag changes, a target of 4,000 characters, or none', () => {
    for (const change of [
      {},
      { removeTags: ['a', 'b'] },
      { target: '' },
      { target: `https://site.org/${'é'.repeat(1_980)}` },
    ]) {
      expect(tokens.open('click', tokens.seal('click', { ...click, ...change }))).toEqual({ ...click, ...change });
    }
  });

  it('gives a return path that fits a local part and survives folding to either case', () => {
    for (let n = 0; n < 200; n++) {
      const payload = { organizationId: randomUUID(), messageId: randomUUID(), period };
      const token = tokens.seal('return-path', payload);
      expect(`b.${token}`).toMatch(/^b\.[0-9a-z]{62}$/);
      expect(tokens.open('return-path', token)).toEqual(payload);
      expect(tokens.open('return-path', token.toUpperCase())).toEqual(payload);
    }
    const smallest = { ...returnPath, organizationId: '00000000-0000-0000-0000-000000000000' };
    expect(tokens.open('return-path', tokens.seal('return-path', smallest))).toEqual(smallest);
  });

  it('gives the same token for the same payload, URL-safe and under 120 characters', () => {
    for (const kind of kinds) {
      expect(tokens.seal(kind, message)).toBe(tokens.seal(kind, message));
      expect(tokens.seal(kind, message)).toMatch(/^[\w-]{1,119}$/);
    }
    expect(tokens.seal('click', click)).toBe(tokens.seal('click', click));
  });

  it('hides the target of a click', () => {
    expect(Buffer.from(tokens.seal('click', click), 'base64url').includes('site.org')).toBe(false);
  });

  it('opens no token on the route of another kind', () => {
    const all: LinkKind[] = [...kinds, 'click', 'return-path'];
    for (const made of all) {
      const token = tokens.seal(made, { ...click, ...returnPath });
      for (const route of all) expect(tokens.open(route, token) !== null).toBe(route === made);
    }
  });

  it('opens no token of another key', () => {
    const others = new LinkTokens(deriveKey(randomBytes(32).toString('hex'), 'links'));
    expect(others.open('open', tokens.seal('open', message))).toBeNull();
    expect(others.open('click', tokens.seal('click', click))).toBeNull();
    expect(others.open('return-path', tokens.seal('return-path', returnPath))).toBeNull();
  });

  it.each([
    ['unsubscribe', tokens.seal('unsubscribe', message)],
    ['click', tokens.seal('click', click)],
    ['return-path', tokens.seal('return-path', returnPath)],
  ] as const)('opens no %s token with one character changed, missing or added', (kind, token) => {
    const tampered = changedByOne(token).filter((t) => kind !== 'return-path' || t.toLowerCase() !== token);
    expect(tampered.length).toBeGreaterThan(450);
    for (const wrong of [...tampered, token.slice(1), token.slice(0, -1), `${token}A`, `A${token}`, `${token}=`]) {
      expect(tokens.open(kind, wrong)).toBeNull();
    }
  });

  it('opens nothing that is no token, and never throws', () => {
    for (const kind of [...kinds, 'click', 'return-path'] as LinkKind[]) {
      for (const text of ['', '.', 'A', 'é', '\0', '../..', 'z'.repeat(62), 'A'.repeat(111), 'A'.repeat(9_000)]) {
        expect(tokens.open(kind, text)).toBeNull();
      }
      for (let length = 0; length < 130; length++) {
        expect(tokens.open(kind, randomBytes(length).toString('base64url'))).toBeNull();
      }
    }
  });

  it('refuses to seal malformed content', () => {
    expect(() => tokens.seal('open', { ...message, organizationId: 'org_1' })).toThrow(RangeError);
    expect(() => tokens.seal('open', { ...message, period: '2026-13' })).toThrow(RangeError);
    expect(() => tokens.seal('click', { ...click, link: 65_536 })).toThrow(/range/);
    expect(() => tokens.seal('click', { ...click, target: 'https://a\0b' })).toThrow(RangeError);
  });
});

describe('deriveKey', () => {
  it('gives each purpose a 32-byte key of its own, the same each time', () => {
    const keys = (['links', 'exports', 'dkim', 'addresses'] as const).map((purpose) => deriveKey(master, purpose));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(keys.length);
    expect(keys.every((key) => key.length === 32)).toBe(true);
    expect(deriveKey(master.toUpperCase(), 'links')).toEqual(keys[0]);
  });

  it.each(['', 'secret', master.slice(2), `${master}00`])('refuses the master key %j', (key) => {
    expect(() => deriveKey(key, 'links')).toThrow(RangeError);
  });
});
