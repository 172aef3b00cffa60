import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { openFixture } from '../domain-fixture.js';

describe('get_web_domain', () => {
  const spec = openFixture();

  it('answers the CNAME to add, by id and by host name', async () => {
    const { id } = await spec.desk.addWebDomain('Links.Bücher.example', spec.ours);
    for (const domainId of [id, 'links.bücher.example', 'LINKS.xn--bcher-kva.example.']) {
      expect(await spec.desk.harness.data('get_web_domain', { domainId }, spec.ours)).toEqual({
        webDomain: {
          id: expect.stringMatching(/^wdom_/),
          hostname: 'links.xn--bcher-kva.example',
          status: 'PENDING',
          cname: { name: 'links.xn--bcher-kva.example', value: 'localhost' },
          found: [],
          checkedAt: null,
          advice: expect.stringContaining('Add this CNAME'),
          failingSince: null,
          createdAt: expect.any(String),
        },
      });
    }
  });

  it('answers WEB_DOMAIN_NOT_FOUND for an unknown one and for another organization’s', async () => {
    const otherTenant = await spec.desk.addWebDomain('links.theirs.example', await spec.desk.organization('Theirs'));
    for (const domainId of [newId('wdom'), 'unknown.example', 'a b', otherTenant.id, otherTenant.hostname]) {
      expect(await spec.desk.harness.refusal('get_web_domain', { domainId }, spec.ours)).toBe('WEB_DOMAIN_NOT_FOUND');
    }
  });
});
