import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { emailKey, needsSmtpUtf8, parseAddress, toAsciiDomain, wireAddress } from './index.js';
import type { EmailAddress } from './index.js';

const parsed = (text: string): EmailAddress => {
  const result = parseAddress(text);
  if (!result.ok) throw new Error(`${text}: ${result.reason}`);
  return result.address;
};
const label63 = 'a'.repeat(63);

describe('parseAddress', () => {
  it.each([
    ['ann@site.org', null, 'ann', 'site.org'],
    ['  ann@site.org ', null, 'ann', 'site.org'],
    ['<ann@site.org>', null, 'ann', 'site.org'],
    ['Ann Bee <ann@site.org>', 'Ann Bee', 'ann', 'site.org'],
    ['"Bee, Ann" <ann@site.org>', 'Bee, Ann', 'ann', 'site.org'],
    ['"Ann \\"A\\" \\\\ B"<ann@site.org>', 'Ann "A" \\ B', 'ann', 'site.org'],
    ['Acme, Inc. <ann@site.org>', 'Acme, Inc.', 'ann', 'site.org'],
    ['ann@site.org <ann@site.org>', 'ann@site.org', 'ann', 'site.org'],
    ['"" <ann@site.org>', null, 'ann', 'site.org'],
    ['Élodie 李 <ann@site.org>', 'Élodie 李', 'ann', 'site.org'],
    ['a@b', null, 'a', 'b'],
    ['Ann.O+tag@Site.ORG', null, 'Ann.O+tag', 'site.org'],
    ["!#$%&'*+/=?^_`{|}~-@site.org", null, "!#$%&'*+/=?^_`{|}~-", 'site.org'],
    ['"ann"@site.org', null, 'ann', 'site.org'],
    ['"a b"@site.org', null, '"a b"', 'site.org'],
    ['"a@b"@site.org', null, '"a@b"', 'site.org'],
    ['"a\\ \\"b"@site.org', null, '"a \\"b"', 'site.org'],
    ['".a..b."@site.org', null, '".a..b."', 'site.org'],
    ['用户@例え.jp', null, '用户', 'xn--r8jz45g.jp'],
    ['ann@münchen.de', null, 'ann', 'xn--mnchen-3ya.de'],
    ['ann@xn--mnchen-3ya.de', null, 'ann', 'xn--mnchen-3ya.de'],
    ['ann@faß.de', null, 'ann', 'xn--fa-hia.de'],
    ['ann@site。org', null, 'ann', 'site.org'],
    ['ann@1and1.com', null, 'ann', '1and1.com'],
    [`${'l'.repeat(64)}@site.org`, null, 'l'.repeat(64), 'site.org'],
    [`a@${label63}.com`, null, 'a', `${label63}.com`],
  ])('reads %s', (text, display, local, asciiDomain) => {
    expect(parsed(text)).toMatchObject({ display, local, asciiDomain });
  });

  it('keeps the domain as it was typed', () => {
    expect(parsed('ann@MÜNCHEN.de').domain).toBe('MÜNCHEN.de');
  });

  it('composes a decomposed local part', () => {
    expect(parsed('e\u0301lodie@site.org').local).toBe('élodie');
  });

  it.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['ann', 'has no @'],
    ['ann>', 'has a > without its <'],
    ['Ann <ann>', 'has no @'],
    ...['@site.org', '.ann@site.org', 'ann.@site.org', 'a..b@site.org', 'a b@site.org', 'a@b@site.org'].map((text) => [
      text,
      'has a bad part before the @',
    ]),
    ...[
      '"a"b"@site.org',
      '""@site.org',
      'a(c)@site.org',
      'a\u00a0b@site.org',
      'a\u200db@site.org',
      '"a\u202eb"@site.org',
    ].map((text) => [text, 'has a bad part before the @']),
    ...['ann@', 'ann@site.org.', 'ann@.org', 'ann@site..org', 'ann@-site.org', 'ann@site-.org', 'ann@si te.org'].map(
      (text) => [text, 'has a bad domain'],
    ),
    ...[
      'ann@site_x.org',
      'ann@site.org/x',
      'ann@site.org:25',
      'ann@site%41.org',
      'ann@xn--zzzz',
      'ann@xn--bcher-kva.xn--0.pt',
      'ann@192.0.2.1',
    ].map((text) => [text, 'has a bad domain']),
    ...[`ann@a${label63}.com`, 'ann@site.org (Ann)', 'ann@si\u00adte.org', 'ann@sîte\u202e.org', 'ann@٠.org/'].map(
      (text) => [text, 'has a bad domain'],
    ),
    ['ann@[192.0.2.1]', 'has an IP address as its domain'],
    ['ann@site.org\r\nBcc: x@site.org', 'has control characters'],
    ['ann\u0000@site.org', 'has control characters'],
    ['Ann\u2028 <ann@site.org>', 'has control characters'],
    ['Ann\ud800 <ann@site.org>', 'has control characters'],
    ['ann@site.org, Bee <bee@site.org>', 'has a name that needs quotes'],
    ['Ann <x> <ann@site.org>', 'has a name that needs quotes'],
    ['Ann "A" <ann@site.org>', 'has a name that needs quotes'],
    [`${'l'.repeat(65)}@site.org`, 'has more than 64 octets before the @'],
    [`${'é'.repeat(33)}@site.org`, 'has more than 64 octets before the @'],
    [`${'l'.repeat(64)}@${label63}.${label63}.${label63}.com`, 'is longer than 254 octets'],
    [`a@${`${label63}.`.repeat(4)}com`, 'has a bad domain'],
    [`${'n'.repeat(321)} <ann@site.org>`, 'has too long a name'],
  ])('refuses %j', (text, reason) => {
    expect(parseAddress(text)).toEqual({ ok: false, reason });
  });

  it.each(['[192.0.2.1]', '[IPv6:2001:db8::1]'])('takes %s when asked', (domain) => {
    expect(parseAddress(`ann@${domain}`, { allowIpLiteral: true })).toMatchObject({ address: { asciiDomain: domain } });
  });

  it.each(['[192.0.2.999]', '[2001:db8::1]', '[]', '[site.org]'])('refuses %s even when asked', (domain) => {
    expect(parseAddress(`ann@${domain}`, { allowIpLiteral: true })).toEqual({ ok: false, reason: 'has a bad domain' });
  });

  it('never throws, and what it accepts it reads again the same', () => {
    const piece = fc.constantFrom(
      'a',
      'É',
      '"',
      '\\',
      '<',
      '>',
      '@',
      '.',
      ' ',
      ',',
      '\r',
      '\u0000',
      '李',
      '[',
      ']',
      '\ud800',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 14 }).map((p) => p.join('')),
        ),
        (text) => {
          const first = parseAddress(text);
          if (!first.ok) return;
          expect(parseAddress(wireAddress(first.address))).toMatchObject({
            address: { local: first.address.local, asciiDomain: first.address.asciiDomain },
          });
        },
      ),
      { numRuns: 5_000, seed: 1 },
    );
  });
});

describe('emailKey', () => {
  it.each([
    ['Ann.Bee+Tag@Gmail.COM', 'ann.bee+tag@gmail.com'],
    ['"ANN"@Site.org', 'ann@site.org'],
    ['Ann@MÜNCHEN.de', 'ann@xn--mnchen-3ya.de'],
    ['ÉLODIE@site.org', 'élodie@site.org'],
  ])('makes %s %s', (text, key) => {
    expect(emailKey(parsed(text))).toBe(key);
  });

  it('does not merge look-alikes', () => {
    expect(emailKey(parsed('аnn@site.org'))).not.toBe(emailKey(parsed('ann@site.org'))); // Cyrillic а
  });
});

describe('toAsciiDomain and needsSmtpUtf8', () => {
  it('folds case and refuses invalid host names', () => {
    expect(toAsciiDomain('MAIL.Example.com')).toBe('mail.example.com');
    expect(toAsciiDomain('a b')).toBeNull();
    expect(toAsciiDomain('')).toBeNull();
  });

  it('asks for SMTPUTF8 only for the local part', () => {
    expect(needsSmtpUtf8(parsed('ann@münchen.de'))).toBe(false);
    expect(needsSmtpUtf8(parsed('élodie@site.org'))).toBe(true);
  });
});
