import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { DomainFixture } from '../domain-fixture.js';

describe('delete_web_domain', () => {
  let fixture: DomainFixture;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    fixture = await DomainFixture.open();
    tenant = await fixture.organization('Ours');
    otherTenant = await fixture.organization('Theirs');
  });
  afterAll(() => fixture.close());

  it('asks by the host name, and deletes it, so that it can be added again', async () => {
    const { id, hostname } = await fixture.addWebDomain('links.acme.example', tenant);
    expect(await fixture.harness.describe('delete_web_domain', { domainId: id }, tenant)).toMatchObject({
      data: { action: 'Delete the web domain', message: expect.stringContaining(hostname) },
    });
    expect(await fixture.harness.data('delete_web_domain', { domainId: hostname.toUpperCase() }, tenant)).toEqual({
      deleted: true,
      webDomain: { id, hostname },
    });
    expect(await fixture.harness.data('list_web_domains', {}, tenant)).toMatchObject({ total: 0 });
    await fixture.addWebDomain(hostname, otherTenant);
  });

  it('refuses unknown web domains and those of another organization with WEB_DOMAIN_NOT_FOUND', async () => {
    const made = await fixture.addWebDomain('ours.acme.example', tenant);
    const refusal = (domainId: string, by: Tenant) => fixture.harness.refusal('delete_web_domain', { domainId }, by);
    expect(await refusal(newId('wdom'), tenant)).toBe('WEB_DOMAIN_NOT_FOUND');
    for (const name of [made.id, made.hostname]) expect(await refusal(name, otherTenant)).toBe('WEB_DOMAIN_NOT_FOUND');
    expect(await fixture.harness.data('list_web_domains', {}, tenant)).toMatchObject({ total: 1 });
  });
});
