import { describe, expect, it } from '@jest/globals';
import { deriveKey } from './derive-key.js';
import { LinkTokens } from './link-tokens.js';
import { linkBase, LinkUrls } from './link-urls.js';

const tokens = new LinkTokens(deriveKey('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'links'));
const urls = new LinkUrls(tokens, 'https://m.example.com');
const link = {
  organizationId: '01890a5d-ac96-774b-bcce-b302099a8057',
  messageId: '01890a5d-ac96-774b-bcce-b302099a8058',
  subscriberId: null,
  campaignId: null,
  period: '2026-11',
};
const tokenOf = (url: string) => url.split('/')[4]!;

describe('LinkUrls', () => {
  it.each([
    ['open', 'o'],
    ['unsubscribe', 'u'],
    ['preferences', 'p'],
    ['view', 'v'],
    ['confirm', 's'],
  ] as const)('leads to %s at /%s', (kind, route) => {
    const url = urls.of(kind, link);
    expect(url).toBe(`https://m.example.com/${route}/${tokenOf(url)}`);
    expect(tokens.open(kind, tokenOf(url))).toEqual(link);
  });

  it('leads over a click to its target, and names the tags that it changes', () => {
    const url = urls.click(link, { target: 'https://shop.example/', number: 2, tag: { add: ['vip'] } });
    expect(url).toMatch(/^https:\/\/m\.example\.com\/c\//);
    const click = { ...link, link: 2, target: 'https://shop.example/', addTags: ['vip'] };
    expect(tokens.open('click', tokenOf(url))).toEqual(click);
  });

  it('leads straight to a target that is too long for a token', () => {
    const fits = `https://shop.example/${'a'.repeat(6_000)}`;
    const tooLong = `https://shop.example/${'a'.repeat(6_100)}`;
    expect(tokens.open('click', tokenOf(urls.click(link, { target: fits, number: 0 })))).toMatchObject({
      target: fits,
    });
    expect(urls.click(link, { target: tooLong, number: 0 })).toBe(tooLong);
  });
});

describe('linkBase', () => {
  it.each([
    ['https://m.example.com', null, 'https://m.example.com'],
    ['https://m.example.com', 'links.shop.example', 'https://links.shop.example'],
    ['http://localhost:3000', 'links.shop.example', 'http://links.shop.example'],
  ])('of %s with %j', (publicUrl, hostname, expected) => {
    expect(linkBase(publicUrl, hostname)).toBe(expected);
  });
});
