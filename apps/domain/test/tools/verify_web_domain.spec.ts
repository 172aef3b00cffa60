import { describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { openFixture } from '../domain-fixture.js';
import type { WebDomain } from '../domain-fixture.js';

describe('verify_web_domain', () => {
  const spec = openFixture();
  const verify = (domainId: string) =>
    spec.desk.harness.data<{ webDomain: WebDomain; warnings: string[] }>('verify_web_domain', { domainId }, spec.ours);

  const linkHost = async () =>
    (await spec.desk.harness.client(domainRequests).find_link_host({}, spec.desk.harness.caller(spec.ours))).hostname;

  it('follows a host name from no record to the right CNAME, by id and by host name', async () => {
    const { id, hostname } = await spec.desk.addWebDomain('links.acme.example', spec.ours);
    expect(await linkHost()).toBeNull();
    expect((await verify(id)).webDomain).toMatchObject({
      status: 'PENDING',
      found: [],
      advice: expect.stringContaining('Add'),
    });
    spec.desk.dns.zone.set(hostname, { A: '192.0.2.1' });
    expect((await verify(hostname)).webDomain.status).toBe('PENDING');
    spec.desk.dns.zone.set(hostname, { CNAME: 'pages.elsewhere.example' });
    expect((await verify(id)).webDomain).toMatchObject({
      status: 'FAILED',
      found: ['pages.elsewhere.example'],
      advice: 'The CNAME of links.acme.example leads to pages.elsewhere.example. Let it lead to localhost.',
    });
    spec.desk.dns.zone.set('pages.elsewhere.example', { CNAME: 'LOCALHOST' });
    expect((await verify('Links.ACME.example')).webDomain).toMatchObject({
      status: 'VERIFIED',
      found: ['pages.elsewhere.example', 'localhost'],
      advice: null,
    });
    // From now on links in mail use it.
    expect(await linkHost()).toBe(hostname);
  });

  it('changes nothing when DNS fails, and returns FAILED for a lost CNAME after 72 hours', async () => {
    const { id, hostname } = await spec.desk.addWebDomain('lost.acme.example', spec.ours);
    spec.desk.dns.zone.set(hostname, { CNAME: 'localhost' });
    await verify(id);
    spec.desk.dns.zone.set(hostname, { fail: 'SERVFAIL' });
    expect(await verify(id)).toMatchObject({
      webDomain: { status: 'VERIFIED', advice: expect.stringContaining('SERVFAIL') },
      warnings: [],
    });
    spec.desk.dns.zone.delete(hostname);
    expect(await verify(id)).toMatchObject({ webDomain: { status: 'VERIFIED' }, warnings: [expect.any(String)] });
    await spec.desk.age('web_domain', 72);
    expect((await verify(id)).webDomain.status).toBe('FAILED');
  });

  it('answers WEB_DOMAIN_NOT_FOUND for an unknown one and for another organization’s', async () => {
    const otherTenant = await spec.desk.addWebDomain('links.theirs.example', await spec.desk.organization('Theirs'));
    for (const domainId of [newId('wdom'), 'unknown.example', otherTenant.id, otherTenant.hostname]) {
      expect(await spec.desk.harness.refusal('verify_web_domain', { domainId }, spec.ours)).toBe(
        'WEB_DOMAIN_NOT_FOUND',
      );
    }
  });
});
