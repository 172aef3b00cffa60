import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness.js';
import { DomainDesk } from '../domain-desk.js';
import type { WebDomain } from '../domain-desk.js';

describe('verify_web_domain', () => {
  let desk: DomainDesk;
  let ours: Tenant;
  beforeAll(async () => {
    desk = await DomainDesk.open();
    ours = await desk.organization('Ours');
  });
  afterAll(() => desk.close());
  const verify = (domainId: string) =>
    desk.tidings.data<{ webDomain: WebDomain; warnings: string[] }>('verify_web_domain', { domainId }, ours);

  const linkHost = async () =>
    (await desk.tidings.client(domainRequests).find_link_host({}, desk.tidings.caller(ours))).hostname;

  it('follows a host name from no record to the right CNAME, by id and by host name', async () => {
    const { id, hostname } = await desk.addWebDomain('links.acme.example', ours);
    expect(await linkHost()).toBeNull();
    expect((await verify(id)).webDomain).toMatchObject({
      status: 'PENDING',
      found: [],
      advice: expect.stringContaining('Add'),
    });
    desk.dns.zone.set(hostname, { A: '192.0.2.1' });
    expect((await verify(hostname)).webDomain.status).toBe('PENDING');
    desk.dns.zone.set(hostname, { CNAME: 'pages.elsewhere.example' });
    expect((await verify(id)).webDomain).toMatchObject({
      ...{ status: 'FAILED', found: ['pages.elsewhere.example'] },
      advice: 'The CNAME of links.acme.example leads to pages.elsewhere.example. Let it lead to localhost.',
    });
    desk.dns.zone.set('pages.elsewhere.example', { CNAME: 'LOCALHOST' });
    expect((await verify('Links.ACME.example')).webDomain).toMatchObject({
      ...{ status: 'VERIFIED', found: ['pages.elsewhere.example', 'localhost'], advice: null },
    });
    // From now on links in mail carry it.
    expect(await linkHost()).toBe(hostname);
  });

  it('changes nothing when DNS fails, and lets a lost CNAME be FAILED after 72 hours', async () => {
    const { id, hostname } = await desk.addWebDomain('lost.acme.example', ours);
    desk.dns.zone.set(hostname, { CNAME: 'localhost' });
    await verify(id);
    desk.dns.zone.set(hostname, { fail: 'SERVFAIL' });
    expect(await verify(id)).toMatchObject({
      webDomain: { status: 'VERIFIED', advice: expect.stringContaining('SERVFAIL') },
      warnings: [],
    });
    desk.dns.zone.delete(hostname);
    expect(await verify(id)).toMatchObject({ webDomain: { status: 'VERIFIED' }, warnings: [expect.any(String)] });
    await desk.age('web_domain', 72);
    expect((await verify(id)).webDomain.status).toBe('FAILED');
  });

  it('answers WEB_DOMAIN_NOT_FOUND for an unknown one and for another organization’s', async () => {
    const theirs = await desk.addWebDomain('links.theirs.example', await desk.organization('Theirs'));
    for (const domainId of [newId('wdom'), 'unknown.example', theirs.id, theirs.hostname]) {
      expect(await desk.tidings.refusal('verify_web_domain', { domainId }, ours)).toBe('WEB_DOMAIN_NOT_FOUND');
    }
  });
});
