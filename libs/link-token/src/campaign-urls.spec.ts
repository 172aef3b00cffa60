import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { CampaignUrls, deriveKey, LinkTokens, LinkUrls } from './index.js';
import type { CampaignUrl, LinkKind } from './index.js';
import { isPositional, PositionCipher, speckDecrypt, speckEncrypt, speckRoundKeys } from './position-cipher.js';
import { subkey } from './campaign-keys.js';

const linkKey = deriveKey('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'links');
const tokens = new LinkTokens(linkKey);
const base = 'https://m.example.com';
const scope = {
  organizationId: '0191f3a0-1234-7abc-8def-0123456789ab',
  campaignId: '0191f3a0-1234-7abc-9def-0123456789ae',
  period: '2026-01',
};
const ids = {
  messageId: '0191f3a0-1234-7abc-8def-0123456789ac',
  subscriberId: '0191f3a0-1234-7abc-8def-0123456789ad',
};
const pages = ['open', 'unsubscribe', 'preferences', 'view'] as const;
const kinds = [...pages, 'click'] as const;
const campaign = new CampaignUrls(linkKey, scope, base);
const click = (target: string, number = 0, tag?: { add?: string[]; remove?: string[] }): CampaignUrl => {
  const url = campaign.click({ target, number, tag });
  if (typeof url === 'string') throw new Error('too long');
  return url;
};
const vipLink = click('https://shop.example/päth?a=1', 3, { add: ['vip', 'été'], remove: ['new'] });
const urlOf = (kind: (typeof kinds)[number]): CampaignUrl => (kind === 'click' ? vipLink : campaign.of(kind));
const tokenOf = (url: CampaignUrl, of = campaign.message(ids)): string => (url.prefix + of.part(url)).split('/')[4]!;
const expected = { ...scope, ...ids };

/** Every token that differs in one character, over the alphabet that URLs use. */
const changedByOne = (token: string): string[] =>
  [...token].flatMap((was, at) =>
    ['A', 'B', 'z', '0', '1', '-', '_', '.', '=']
      .filter((c) => c !== was)
      .map((c) => token.slice(0, at) + c + token.slice(at + 1)),
  );

describe('the links of a campaign', () => {
  it.each(kinds)('open as what they were made for: %s', (kind) => {
    const clicked = { link: 3, target: 'https://shop.example/päth?a=1', addTags: ['vip', 'été'], removeTags: ['new'] };
    const payload = kind === 'click' ? { ...expected, ...clicked } : expected;
    expect(tokens.open(kind, tokenOf(urlOf(kind)))).toEqual(payload);
    expect(tokenOf(urlOf(kind))).toMatch(/^[\w-]+$/);
    expect(campaign.message(ids).part(urlOf(kind))).toHaveLength(56);
  });

  it('carry targets of any length, up to a limit past which they lead straight there', () => {
    for (let length = 0; length < 7; length++) {
      const target = `https://s.example/${'é'.repeat(length)}${'x'.repeat(length % 2)}`;
      expect(tokens.open('click', tokenOf(click(target)))).toEqual({ ...expected, link: 0, target });
    }
    expect(tokens.open('click', tokenOf(click('', 1, { add: ['vip'] })))).toMatchObject({
      target: '',
      addTags: ['vip'],
    });
    const long = `https://s.example/${'a'.repeat(5_900)}`;
    expect(tokens.open('click', tokenOf(click(long)))).toMatchObject({ target: long });
    const tooLong = `https://s.example/${'a'.repeat(6_100)}`;
    expect(campaign.click({ target: tooLong, number: 0 })).toBe(tooLong);
  });

  it('have tags of their own for 100 links, and up to link 65,535', () => {
    const message = campaign.message(ids);
    const links = [...Array.from({ length: 100 }, (_, n) => n), 65_535];
    const tags = links.map((n) => message.part(click('https://s.example/', n)).slice(44));
    tags.push(...pages.map((kind) => message.part(campaign.of(kind)).slice(44)));
    expect(new Set(tags).size).toBe(tags.length);
    for (const n of links) {
      expect(tokens.open('click', tokenOf(click('https://s.example/', n)))).toMatchObject({ link: n });
    }
    expect(() => click('https://s.example/', 65_536)).toThrow(/out of range/);
    expect(() => click('https://s.ex\0ample/', 1)).toThrow(RangeError);
  });

  it('open on no route but their own', () => {
    const all: LinkKind[] = [...kinds, 'confirm', 'return-path'];
    for (const made of kinds) {
      for (const route of all) expect(tokens.open(route, tokenOf(urlOf(made))) !== null).toBe(route === made);
    }
  });

  it('do not open with the head of another kind, link, campaign, organization or month', () => {
    const other = (changes: Partial<typeof scope>): CampaignUrls =>
      new CampaignUrls(linkKey, { ...scope, ...changes }, base);
    const others = [
      other({ campaignId: ids.messageId }),
      other({ organizationId: ids.messageId }),
      other({ period: '2026-02' }),
    ];
    const message = campaign.message(ids);
    for (const kind of pages) {
      for (const from of pages.filter((one) => one !== kind)) {
        const token = (campaign.of(kind).prefix + message.part(campaign.of(from))).split('/')[4]!;
        expect(tokens.open(kind, token)).toBeNull();
      }
      for (const one of others) {
        expect(tokens.open(kind, (one.of(kind).prefix + message.part(campaign.of(kind))).split('/')[4]!)).toBeNull();
      }
    }
    const [second, third] = [click('https://s.example/2', 2), click('https://s.example/3', 3)];
    expect(tokens.open('click', (second.prefix + message.part(third)).split('/')[4]!)).toBeNull();
    expect(tokens.open('click', (second.prefix + message.part(campaign.of('open'))).split('/')[4]!)).toBeNull();
    for (const one of others) {
      const url = one.click({ target: 'https://s.example/2', number: 2 }) as CampaignUrl;
      expect(tokens.open('click', (url.prefix + message.part(second)).split('/')[4]!)).toBeNull();
    }
  });

  it('do not open for another subscriber or message', () => {
    const [ours, theirs] = [
      campaign.message(ids).part(vipLink),
      campaign.message({ ...ids, subscriberId: scope.campaignId }).part(vipLink),
    ];
    expect(tokens.open('click', (vipLink.prefix + theirs.slice(0, 44) + ours.slice(44)).split('/')[4]!)).toBeNull();
  });

  it.each(kinds)('do not open with one character changed, missing or added: %s', (kind) => {
    const token = tokenOf(urlOf(kind));
    const tampered = changedByOne(token);
    expect(tampered.length).toBeGreaterThan(700);
    for (const wrong of [
      ...tampered,
      token.slice(1),
      token.slice(0, -1),
      token.slice(4),
      `${token}A`,
      `${token}AAAA`,
    ]) {
      expect(tokens.open(kind, wrong)).toBeNull();
    }
  });

  it('do not open under another key', () => {
    const others = new LinkTokens(randomBytes(32));
    for (const kind of kinds) expect(others.open(kind, tokenOf(urlOf(kind)))).toBeNull();
    expect(others.open('return-path', campaign.message(ids).returnPath())).toBeNull();
  });

  it('show no target', () => {
    expect(Buffer.from(tokenOf(vipLink), 'base64url').includes('shop.example')).toBe(false);
  });

  it('leave the tokens of single links as they were', () => {
    const link = { ...scope, ...ids };
    const single = new LinkUrls(tokens, base);
    for (const kind of pages) expect(tokens.open(kind, single.of(kind, link).split('/')[4]!)).toEqual(link);
    for (let n = 0; n < 600; n++) {
      // Among them some that begin with the octet of the new format.
      const token = single.click(link, { target: `https://s.example/${n}`, number: 1 }).split('/')[4]!;
      expect(tokens.open('click', token)).toMatchObject({ target: `https://s.example/${n}` });
    }
  });

  it('open nothing that is no token, and never throw', () => {
    for (const kind of kinds) {
      for (let length = 0; length < 260; length++) {
        const bytes = randomBytes(length);
        for (const first of [bytes[0] ?? 0, 0x20 + 1, 0x22]) {
          if (length > 0) bytes[0] = first;
          expect(tokens.open(kind, bytes.toString('base64url'))).toBeNull();
        }
      }
    }
  });
});

describe('the return path of a campaign', () => {
  const path = { organizationId: scope.organizationId, messageId: ids.messageId, period: scope.period };
  const token = campaign.message(ids).returnPath();

  it('fits a local part, and opens in either case', () => {
    expect(`b.${token}`).toMatch(/^b\.[0-9a-z]{62}$/);
    expect(tokens.open('return-path', token)).toEqual(path);
    expect(tokens.open('return-path', token.toUpperCase())).toEqual(path);
  });

  it('opens beside one that was sealed alone', () => {
    expect(tokens.open('return-path', tokens.seal('return-path', path))).toEqual(path);
    expect(tokens.seal('return-path', path)).not.toBe(token);
  });

  it.each(['2000-01', '2026-12', '2170-08'])('carries the month %s', (period) => {
    const made = new CampaignUrls(linkKey, { ...scope, period }, base).message(ids).returnPath();
    expect(tokens.open('return-path', made)).toEqual({ ...path, period });
  });

  it('refuses a month or an id that it cannot carry', () => {
    expect(() => new CampaignUrls(linkKey, { ...scope, period: '1999-12' }, base)).toThrow(RangeError);
    expect(() => new CampaignUrls(linkKey, { ...scope, period: '2170-09' }, base)).toThrow(RangeError);
    const random = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6';
    expect(() => new CampaignUrls(linkKey, { ...scope, organizationId: random }, base)).toThrow(/UUIDv7/);
    expect(() => campaign.message({ ...ids, messageId: random }).returnPath()).toThrow(/UUIDv7/);
    expect(() => campaign.message({ ...ids, messageId: 'msg_1' })).toThrow(/Not a UUID/);
  });

  it('opens with no digit changed, missing or added', () => {
    const tampered = [...token].flatMap((was, at) =>
      ['0', '1', 'a', 'z', '-'].filter((c) => c !== was).map((c) => token.slice(0, at) + c + token.slice(at + 1)),
    );
    for (const wrong of [...tampered, token.slice(1), `${token}0`, 'z'.repeat(62), '0'.repeat(62), '']) {
      expect(tokens.open('return-path', wrong)).toBeNull();
    }
  });
});

describe('ids by position', () => {
  const messageId = '0191f3a0-1234-8abc-8def-012300000c07';

  it('do not show in tokens, return path and Message-ID, and are found again', () => {
    const message = campaign.message({ ...ids, messageId });
    const shown = campaign.publicId(messageId);
    expect(shown).toMatch(/^0191f3a0-1234-8abc-8def-0123[0-9a-f]{8}$/);
    expect(shown).not.toBe(messageId);
    expect(tokens.idBehind(shown)).toBe(messageId);
    for (const kind of pages) {
      const token = tokenOf(campaign.of(kind), message);
      expect(Buffer.from(token, 'base64url').toString('hex')).not.toContain(messageId.replaceAll('-', ''));
      expect(tokens.open(kind, token)).toEqual({ ...expected, messageId });
    }
    expect(tokens.open('return-path', message.returnPath())).toMatchObject({ messageId });
  });

  it('are known by their version: others stay as they are', () => {
    expect([isPositional(messageId), isPositional(ids.messageId)]).toEqual([true, false]);
    expect(campaign.publicId(ids.messageId)).toBe(ids.messageId);
    expect(tokens.idBehind(ids.messageId)).toBe(ids.messageId);
  });

  it('are permuted otherwise in each send', () => {
    const cipher = new PositionCipher(subkey(linkKey, 'spec'));
    const shown = new Set<string>();
    for (let send = 0; send < 20; send++) {
      for (let position = 0; position < 200; position++) {
        const id = `0191f3a0-1234-8abc-8def-01${String(send).padStart(2, '0')}${position.toString(16).padStart(8, '0')}`;
        shown.add(cipher.hide(id).slice(-8));
        expect(cipher.reveal(cipher.hide(id))).toBe(id);
      }
    }
    expect(shown.size).toBeGreaterThan(3_990);
  });

  it('are encrypted as the authors of SPECK32/64 do', () => {
    const keys = speckRoundKeys([0x1918, 0x1110, 0x0908, 0x0100]);
    expect(speckEncrypt(0x6574694c, keys)).toBe(0xa86842f2);
    expect(speckDecrypt(0xa86842f2, keys)).toBe(0x6574694c);
  });
});
