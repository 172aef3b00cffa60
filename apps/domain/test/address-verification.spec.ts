import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressVerificationService } from '../src/address/address-verification.service.js';
import { suggestedDomain } from '../src/address/suggestion.js';
import { DnsClient } from '../src/dns/dns.client.js';
import { DnsServer } from './dns-server.js';

let server: DnsServer;
let clock = 1_800_000_000_000;
let verification: AddressVerificationService;

beforeAll(async () => {
  server = await DnsServer.start();
  const entries: Record<string, object> = {
    'mail.internal': { MX: [[10, 'mx.mail.internal']] },
    'gnail.com': { MX: [[10, 'mx.mail.internal']] },
    'web.internal': { A: '192.0.2.7' },
    'silent.internal': { fail: 'silence' },
    'broken.internal': { fail: 'SERVFAIL' },
    'null.internal': { MX: [[0, '.']], A: '192.0.2.7' },
    'alias.internal': { CNAME: 'mail.internal' },
    'spam.internal': { MX: [[10, 'mx.mail.internal']] },
    'spam.internal.list.internal': { A: '127.0.1.2' },
    'unsure.internal': { MX: [[10, 'mx.mail.internal']] },
    'unsure.internal.list.internal': { A: '127.255.255.254' },
    'xn--mnchen-3ya.internal': { MX: [[10, 'mx.mail.internal']] },
  };
  for (const [name, entry] of Object.entries(entries)) server.zone.set(name, entry);
  // Long enough for a busy machine.
  const dns = new DnsClient([server.address], 20_000);
  verification = new AddressVerificationService({ dns, blocklist: 'list.internal', now: () => clock });
});
afterAll(async () => {
  await server.stop();
});

const asked = (name: string) => server.asked.filter((question) => question.includes(` ${name} `)).length;

describe('the verification of an address', () => {
  it.each([
    ['ann@mail.internal', { success: true, hasValidMX: true, domain: 'mail.internal', isFree: false }],
    ["Ann.O'Neil+news@mail.internal", { success: true, address: "Ann.O'Neil+news@mail.internal" }],
    ['"ann b"@mail.internal', { success: true }],
    ['ünal@münchen.internal', { success: true, domain: 'xn--mnchen-3ya.internal' }],
    ['ann@alias.internal', { success: true, hasValidMX: true }],
    ['ann@web.internal', { success: true, hasValidMX: true, warnings: [expect.stringContaining('no MX record')] }],
    ['ann@null.internal', { success: false, code: 'invalid_domain', hasValidMX: false }],
    ['ann@nowhere.internal', { success: false, code: 'invalid_domain', hasValidMX: false }],
    ['ann@[192.0.2.1]', { success: false, code: 'invalid_domain', hasValidMX: null }],
    ['ann@spam.internal', { success: false, code: 'spam_domain' }],
    ['ann@unsure.internal', { success: true }],
    ['ann@mailinator.com', { success: false, code: 'disposable_email', isDisposable: true, hasValidMX: null }],
    ['ann@a.guerrillamail.com', { success: false, code: 'disposable_email' }],
    ['info@mailinator.example.com', { success: false, code: 'test_email', isRoleAccount: true }],
    ['support@mail.internal', { success: true, isRoleAccount: true, warnings: [expect.stringContaining('support@')] }],
    ['ann@gnail.com', { success: true, suggestion: 'ann@gmail.com', warnings: ['Did you mean ann@gmail.com?'] }],
    ['', { success: false, code: 'invalid_format', error: 'The address is empty.', domain: null }],
    ['ann', { success: false, code: 'invalid_format', error: 'The address has no @.' }],
    ['Ann <ann@mail.internal>', { success: false, code: 'invalid_format' }],
    ['ann@mail..internal', { success: false, code: 'invalid_format' }],
    [`${'a'.repeat(65)}@mail.internal`, { success: false, code: 'invalid_format' }],
  ])('judges %j', async (text, verdict) => {
    expect(await verification.verify(text)).toMatchObject(verdict);
  });

  it.each(['silent', 'broken'])('warns, and refuses nothing, when DNS is %s', async (name) => {
    const hasty = new AddressVerificationService({ dns: new DnsClient([server.address], 300), blocklist: '' });
    const verdict = await hasty.verify(`ann@${name}.internal`);
    expect(verdict).toMatchObject({ success: true, hasValidMX: null });
    expect(verdict.warnings).toEqual([expect.stringContaining('try again later')]);
  });

  it('queries DNS once for simultaneous and repeated calls, and again after a failure', async () => {
    server.zone.set('asked.internal', { MX: [[10, 'mx.mail.internal']] });
    await Promise.all(['a', 'b', 'c'].map((local) => verification.verify(`${local}@asked.internal`)));
    await verification.verify('d@ASKED.internal');
    expect(asked('asked.internal')).toBe(1);
    clock += 11 * 60_000;
    await verification.verify('a@asked.internal');
    expect(asked('asked.internal')).toBe(2);
    const before = asked('broken.internal');
    await verification.verify('ann@broken.internal');
    expect(asked('broken.internal')).toBeGreaterThan(before);
  });
});

describe('a suggestion', () => {
  it.each([
    ['gmial.com', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gnail.com', 'gmail.com'],
    ['gmailcom', 'gmail.com'],
    ['hotmial.com', 'hotmail.com'],
    ['yaho.com', 'yahoo.com'],
    ['outlok.com', 'outlook.com'],
    ['icloud.cmo', 'icloud.com'],
    ['shop.con', 'shop.com'],
    ['gmail.com', null],
    ['mail.com', null],
    ['web.de', null],
    ['omantel.om', null],
    ['shop.com', null],
    ['example.org', null],
    ['live.nl', null],
  ])('for %s is %s', (domain, meant) => {
    expect(suggestedDomain(domain)).toBe(meant);
  });
});
