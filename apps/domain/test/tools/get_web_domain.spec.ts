import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness.js';
import { DomainDesk } from '../domain-desk.js';

describe('get_web_domain', () => {
  let desk: DomainDesk;
  let ours: Tenant;
  beforeAll(async () => {
    desk = await DomainDesk.open();
    ours = await desk.organization('Ours');
  });
  afterAll(() => desk.close());

  it('answers the CNAME to add, by id and by host name', async () => {
    const { id } = await desk.addWebDomain('Links.Bücher.example', ours);
    for (const domainId of [id, 'links.bücher.example', 'LINKS.xn--bcher-kva.example.']) {
      expect(await desk.tidings.data('get_web_domain', { domainId }, ours)).toEqual({
        webDomain: {
          ...{ id: expect.stringMatching(/^wdom_/), hostname: 'links.xn--bcher-kva.example', status: 'PENDING' },
          ...{ cname: { name: 'links.xn--bcher-kva.example', value: 'localhost' }, found: [], checkedAt: null },
          ...{ advice: expect.stringContaining('Add this CNAME'), failingSince: null, createdAt: expect.any(String) },
        },
      });
    }
  });

  it('answers WEB_DOMAIN_NOT_FOUND for an unknown one and for another organization’s', async () => {
    const theirs = await desk.addWebDomain('links.theirs.example', await desk.organization('Theirs'));
    for (const domainId of [newId('wdom'), 'unknown.example', 'a b', theirs.id, theirs.hostname]) {
      expect(await desk.tidings.refusal('get_web_domain', { domainId }, ours)).toBe('WEB_DOMAIN_NOT_FOUND');
    }
  });
});
