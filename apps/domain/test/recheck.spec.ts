import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '#observability';
import { DnsClient } from '../src/dns/dns.client.js';
import type { VerificationState } from '../src/dns/verification-state.js';
import { recheckDue } from '../src/dns/recheck.job.js';
import { WebDomainRepository } from '../src/web-domain/web-domain.repository.js';
import { verifyWebDomain } from '../src/web-domain/web-domain-verification.service.js';
import { DnsServer } from './dns-server.js';
import { DomainFixture } from './domain-fixture.js';
import type { WebDomain } from './domain-fixture.js';

describe('a check within its time', () => {
  let server: DnsServer;
  beforeAll(async () => {
    server = await DnsServer.start();
  });
  afterAll(() => server.stop());

  it('gives up on a silent server, and returns the answers of the others', async () => {
    server.zone.set('silent.example', { fail: 'silence' });
    server.zone.set('quick.example', { TXT: [['here']] });
    const quick = new DnsClient([server.address], 500);
    const start = performance.now();
    const answers = await quick.check((lookup) =>
      Promise.all([lookup('TXT', 'silent.example'), lookup('TXT', 'quick.example'), lookup('TXT', 'none.example')]),
    );
    expect(answers[0]).toEqual({ kind: 'trouble', why: 'no answer in time' });
    // The others may be late as well on a machine that is busy; they are never taken for missing or wrong.
    expect([{ kind: 'values', values: ['here'] }, answers[0]]).toContainEqual(answers[1]);
    expect([{ kind: 'none' }, answers[0]]).toContainEqual(answers[2]);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('distinguishes SERVFAIL, a missing name and an unreachable server', async () => {
    server.zone.set('broken.example', { fail: 'SERVFAIL' });
    const patient = new DnsClient([server.address], 20_000);
    const ask = (name: string, client = patient) => client.check((lookup) => lookup('MX', name));
    expect(await ask('broken.example')).toEqual({ kind: 'trouble', why: 'SERVFAIL' });
    expect(await ask('missing.example')).toEqual({ kind: 'none' });
    expect(await ask('quick.example')).toEqual({ kind: 'none' });
    expect(await ask('quick.example', new DnsClient(['127.0.0.1:1'], 20_000))).toMatchObject({ kind: 'trouble' });
  });
});

describe('the check that repeats', () => {
  let fixture: DomainFixture;
  beforeAll(async () => {
    fixture = await DomainFixture.open();
  });
  afterAll(() => fixture.close());

  it('checks each due domain once, and leaves the others for their time', async () => {
    const tenant = await fixture.organization('Ours');
    const made = await Promise.all(
      Array.from({ length: 12 }, (_one, at) => fixture.addWebDomain(`l${at}.acme.example`, tenant)),
    );
    for (const { hostname } of made) fixture.dns.zone.set(hostname, { CNAME: 'localhost' });
    const { manager } = fixture.harness.dataSource('domain');
    const webDomains = new WebDomainRepository(manager);
    const parts = { webDomains, dns: new DnsClient([fixture.dns.address], 20_000), webHost: 'localhost' };
    const recheck = () =>
      recheckDue(
        { kind: 'web domain', names: webDomains, verify: (due) => verifyWebDomain(parts, due), now: new Date() },
        createLogger('spec', 'silent'),
      );
    const statuses = async () =>
      (await fixture.harness.data<{ webDomains: WebDomain[] }>('list_web_domains', {}, tenant)).webDomains
        .map(({ status }) => status)
        .sort();

    await recheck();
    expect(await statuses()).toEqual(Array(12).fill('PENDING'));
    await manager.query(`update web_domain set next_check_at = now() where hostname <> 'l0.acme.example'`);
    await Promise.all([recheck(), recheck()]);
    expect(await statuses()).toEqual(['PENDING', ...Array<string>(11).fill('VERIFIED')]);
    expect(fixture.dns.asked).toHaveLength(11);
    await recheck();
    expect(fixture.dns.asked).toHaveLength(11);
  });

  it('goes on with the others where one is met by a defect', async () => {
    const due = Array.from({ length: 11 }, (_one, at) => ({ organizationId: 'org_1', domainId: `dom_${at}` }));
    const checked: string[] = [];
    const proof: VerificationState = { status: 'VERIFIED', failingSince: null, verifiedAt: null };
    await recheckDue(
      {
        kind: 'web domain',
        now: new Date(),
        names: { claimDue: (limit) => Promise.resolve(due.splice(0, limit)) },
        verify: ({ domainId }) => {
          if (domainId === 'dom_0') throw new TypeError('a defect');
          checked.push(domainId);
          return Promise.resolve({ before: proof, after: proof });
        },
      },
      createLogger('spec', 'silent'),
    );
    expect(checked).toHaveLength(10);
  });
});
