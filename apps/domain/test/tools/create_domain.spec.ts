import { createPublicKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { DomainFixture, recordOf } from '../domain-fixture.js';

describe('create_domain', () => {
  const fixture = useFixture(() => DomainFixture.open());
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    [tenant, otherTenant] = [await fixture.organization('Ours'), await fixture.organization('Theirs')];
  });

  it('answers a PENDING domain with the exact records to publish, and asks DNS nothing', async () => {
    const domain = await fixture.create('News.Acme.example.', tenant);
    expect(domain).toMatchObject({
      id: expect.stringMatching(/^dom_/),
      domain: 'news.acme.example',
      sandbox: false,
      status: 'PENDING',
      dkim: 'PENDING',
      mailFrom: 'PENDING',
      checkedAt: null,
      failingSince: null,
    });
    expect(
      domain.records.map(({ type, name, value, purpose, required }) => [type, name, value, purpose, required]),
    ).toEqual([
      [
        'TXT',
        '_tidings.news.acme.example',
        expect.stringMatching(/^tidings-verification=[0-9a-f]{32}$/),
        'VERIFICATION',
        true,
      ],
      [
        'TXT',
        expect.stringMatching(/^td[a-z2-7]{8}\._domainkey\.news\.acme\.example$/),
        expect.stringMatching(/^v=DKIM1; k=rsa; p=\S+$/),
        'DKIM',
        true,
      ],
      ['MX', 'bounce.news.acme.example', '10 mx.tidings.example', 'MAIL_FROM_MX', false],
      ['TXT', 'bounce.news.acme.example', 'v=spf1 mx ~all', 'MAIL_FROM_SPF', false],
      ['TXT', '_dmarc.news.acme.example', 'v=DMARC1; p=none;', 'DMARC', false],
    ]);
    for (const record of domain.records) {
      expect(record).toMatchObject({ status: 'PENDING', found: [], advice: expect.stringContaining(record.name) });
    }
    expect(fixture.dns.asked).toEqual([]);
  });

  it('creates a key of 2048 bits whose private half signs for the domain and is stored sealed', async () => {
    const domain = await fixture.create('keys.example', tenant);
    const p = recordOf(domain, 'DKIM').value.split('p=')[1]!;
    const published = createPublicKey({ key: Buffer.from(p, 'base64'), format: 'der', type: 'spki' });
    expect(published.asymmetricKeyDetails!.modulusLength).toBe(2048);
    const { key } = await fixture.harness
      .client(domainRequests)
      .get_signing_key({ domain: 'keys.example' }, fixture.harness.caller(tenant));
    expect(createPublicKey(key!.privateKeyPem).equals(published)).toBe(true);
    expect(recordOf(domain, 'DKIM').name).toBe(`${key!.selector}._domainkey.keys.example`);
    const rows: { sealed: Buffer }[] = await fixture.harness
      .dataSource('domain')
      .query(`select private_key_sealed as sealed from dkim_key`);
    for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toContain('PRIVATE KEY');
  });

  it('takes a name under a public suffix of several labels', async () => {
    expect((await fixture.create('acme.co.uk', tenant)).domain).toBe('acme.co.uk');
  });

  it('accepts an international domain and returns it in its DNS form', async () => {
    expect((await fixture.create('Bücher.example', tenant)).domain).toBe('xn--bcher-kva.example');
  });

  it.each([
    'acme',
    'co.uk',
    'github.io',
    '東京.jp',
    'com.',
    'https://acme.example',
    'acme.example:25',
    '192.0.2.1',
    'a b.example',
    '-a.example',
    'org9.tidings.internal',
    `${'a'.repeat(60)}.`.repeat(4),
  ])('refuses %s with DOMAIN_INVALID', async (domain) => {
    expect(await fixture.harness.refusal('create_domain', { domain }, tenant)).toBe('DOMAIN_INVALID');
  });

  it('refuses a second one with DOMAIN_EXISTS and its id, in any case', async () => {
    const { id } = await fixture.create('twice.example', tenant);
    const answer = await fixture.harness.call('create_domain', { domain: 'TWICE.example' }, tenant);
    expect(answer).toMatchObject({
      ok: false,
      error: { reason: 'DOMAIN_EXISTS', message: expect.stringContaining(id) },
    });
  });

  it('gives two organizations the same domain with proofs of their own, until one has proved it: DOMAIN_TAKEN', async () => {
    const [first, second] = [
      await fixture.create('shared.example', tenant),
      await fixture.create('shared.example', otherTenant),
    ];
    for (const purpose of ['VERIFICATION', 'DKIM'] as const) {
      expect(recordOf(first, purpose).value).not.toBe(recordOf(second, purpose).value);
    }
    await fixture.verified('owned.example', tenant);
    expect(await fixture.harness.refusal('create_domain', { domain: 'owned.example' }, otherTenant)).toBe(
      'DOMAIN_TAKEN',
    );
    const { domains } = await fixture.harness.data<{ domains: { domain: string }[] }>('list_domains', {}, otherTenant);
    expect(domains.map(({ domain }) => domain)).not.toContain('owned.example');
  });

  it('refuses domains over a quota with QUOTA_REACHED; the sandbox does not count', async () => {
    const tenant = await fixture.organization('Bound');
    const quotas = { contacts: null, mailsPerMonth: null, domains: 1 };
    const bound: Tenant = { ...tenant, bounds: { plan: 'PREMIUM', quotas } };
    const names = ['one.acme.example', 'two.acme.example', 'three.acme.example'];
    const outcomes = await Promise.all(names.map((domain) => fixture.harness.call('create_domain', { domain }, bound)));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
      error: { reason: 'QUOTA_REACHED', message: expect.stringContaining('PREMIUM plan allows 1 sending domains') },
    });
  });
});
