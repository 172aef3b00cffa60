import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Tenant } from '../../../../test/harness/harness.js';
import { DomainFixture } from '../domain-fixture.js';
import type { WebDomain } from '../domain-fixture.js';

describe('create_web_domain', () => {
  let fixture: DomainFixture;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    fixture = await DomainFixture.open();
    tenant = await fixture.organization('Ours');
    otherTenant = await fixture.organization('Theirs');
  });
  afterAll(() => fixture.close());

  it('adds a PENDING web domain with the CNAME record to add', async () => {
    const { webDomain } = await fixture.harness.data<{ webDomain: WebDomain }>(
      'create_web_domain',
      { hostname: 'Links.Acme.example' },
      tenant,
    );
    expect(webDomain).toMatchObject({ hostname: 'links.acme.example', status: 'PENDING' });
    expect(webDomain.cname.name).toBe('links.acme.example');
    expect(await fixture.harness.data('get_web_domain', { domainId: webDomain.id }, tenant)).toEqual({ webDomain });
  });

  it('refuses what is no host name with DOMAIN_INVALID', async () => {
    for (const hostname of ['http://acme.example', 'localhost', 'co.uk'])
      expect(await fixture.harness.refusal('create_web_domain', { hostname }, tenant)).toBe('DOMAIN_INVALID');
  });

  it('refuses a host name that exists with WEB_DOMAIN_EXISTS, and shows no id of another organization', async () => {
    const made = await fixture.addWebDomain('taken.acme.example', tenant);
    const again = async (by: Tenant) => {
      const outcome = await fixture.harness.call('create_web_domain', { hostname: 'taken.acme.example' }, by);
      expect(outcome).toMatchObject({ ok: false, error: { reason: 'WEB_DOMAIN_EXISTS' } });
      return outcome.ok ? '' : outcome.error.message;
    };
    expect(await again(tenant)).toContain(made.id);
    expect(await again(otherTenant)).not.toContain(made.id);
  });
});
