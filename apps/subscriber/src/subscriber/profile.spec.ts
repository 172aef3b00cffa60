import { describe, expect, it } from '@jest/globals';
import { parseProfile } from './profile.js';

const person = (args: object) => {
  const read = parseProfile({ email: 'a@example.com', ...args });
  if (!read.ok) throw new Error(JSON.stringify(read.refusal));
  return read.person;
};

describe('personOf', () => {
  it('keeps the address as typed and makes one identity of its forms', () => {
    expect(person({ email: ' Zoë.B+x@Münich.example\u00a0' })).toMatchObject({
      email: 'Zoë.B+x@Münich.example',
      emailKey: 'zoë.b+x@xn--mnich-kva.example',
    });
    expect(person({ email: '\u200bann@example.com\ufeff' }).emailKey).toBe('ann@example.com');
    expect(person({ email: 'Ann <Ann@Example.com>' }).email).toBe('Ann@Example.com');
    expect(person({ email: 'a.b@gmail.com' }).emailKey).not.toBe(person({ email: 'ab@gmail.com' }).emailKey);
  });

  it('keeps a joiner that is a letter of the domain, since without it the domain is another one', () => {
    expect(person({ email: '\u200csara@نامه\u200cای.example\u200b' })).toMatchObject({
      email: 'sara@نامه\u200cای.example',
      emailKey: 'sara@xn--mgba3gch31f060k.example',
    });
  });

  it.each([
    'ann\nlee@example.com',
    'ann@exam\u00adple.com',
    'ann\t@example.com',
    'ann@exam\u200dple.com',
    'a\u200bnn@example.com',
  ])('refuses %j, which would be another address without its invisible characters', (email) => {
    expect(parseProfile({ email })).toMatchObject({
      refusal: { issue: { message: expect.stringMatching(/^the address has (invisible|control) characters/) } },
    });
  });

  it.each(['ada@x', 'ada@localhost'])('refuses %s, whose domain has no dot', (email) => {
    expect(parseProfile({ email })).toMatchObject({
      refusal: { problem: 'EMAIL_INVALID', issue: { message: 'the address has a domain without a dot' } },
    });
  });

  it('writes letters composed on both sides of the @, so that a search finds them', () => {
    const decomposed = 'Zoé@Bücher.example'.normalize('NFD');
    expect(person({ email: decomposed }).email).toBe('Zoé@Bücher.example'.normalize('NFC'));
  });

  it('recognizes role addresses and disposable domains', () => {
    expect(person({ email: 'info@example.com' })).toMatchObject({ isRole: true, isDisposable: false });
    expect(person({ email: 'ann@sub.Mailinator.com' })).toMatchObject({ isRole: false, isDisposable: true });
  });

  it('distinguishes kept, cleared and given values', () => {
    expect(person({})).toMatchObject({ name: undefined, phone: undefined, country: undefined });
    expect(person({ name: null, phone: ' \u0007 ' })).toMatchObject({ name: null, phone: null });
    expect(person({ name: ' Ann\n\tLee\u0000 ', country: 'fr' })).toMatchObject({ name: 'Ann Lee', country: 'FR' });
  });

  it('stores a country as its alpha-2 code, and refuses an unknown one', () => {
    const stored = ['fr', 'FRA', ' Frankreich ', 'UK', 'el'].map((country) => person({ country }).country);
    expect(stored).toEqual(['FR', 'FR', 'FR', 'GB', 'GR']);
    expect(parseProfile({ email: 'a@example.com', country: 'Atlantis' })).toEqual({
      ok: false,
      refusal: { problem: 'COUNTRY_UNKNOWN', country: 'Atlantis' },
    });
  });

  it('keeps values as text, line breaks included; of one name in two cases the last one counts', () => {
    const { fields } = person({
      fields: { ' Note ': 'a\r\nb\u0001', Age: 7, Vip: false, Gone: null, Empty: ' ', age: 8 },
    });
    expect([...fields]).toEqual([
      ['Note', 'a\nb'],
      ['age', '8'],
      ['Vip', 'false'],
      ['Gone', null],
      ['Empty', null],
    ]);
  });

  it.each(['id', 'FirstName', 'customfields', 'ORG-name', 'snp_x', '\u0007'])('refuses the field name %j', (name) => {
    expect(parseProfile({ email: 'a@example.com', fields: { [name]: 'x' } })).toEqual({
      ok: false,
      refusal: { problem: 'FIELD_RESERVED', name },
    });
  });

  it('refuses an invalid address, with the reason', () => {
    expect(parseProfile({ email: 'ann' })).toEqual({
      ok: false,
      refusal: { problem: 'EMAIL_INVALID', issue: { path: ['email'], message: 'the address has no @' } },
    });
  });
});
