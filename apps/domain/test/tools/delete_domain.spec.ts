import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { DomainFixture } from '../domain-fixture.js';
import type { Domain } from '../domain-fixture.js';
import { addSender, published, scheduled, sendersOf } from '../sender-users.js';

describe('delete_domain', () => {
  let fixture: DomainFixture;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    fixture = await DomainFixture.open();
    tenant = await fixture.organization('Ours');
    otherTenant = await fixture.organization('Theirs');
  });
  afterAll(() => fixture.close());
  const remove = (domainId: string) => fixture.harness.data('delete_domain', { domainId }, tenant);
  const refused = async (domainId: string) => {
    const outcome = await fixture.harness.call('delete_domain', { domainId }, tenant);
    return outcome.ok ? null : outcome.error;
  };

  it('deletes the domain with its senders and keys, and makes another sender the default', async () => {
    const domain = await fixture.verified('gone.example', tenant);
    const sender = await addSender(fixture.harness, tenant, domain.id, 'news');
    expect((await sendersOf(fixture.harness, tenant))[0]).toMatchObject({ id: sender.id, isDefault: true });
    expect(await fixture.harness.describe('delete_domain', { domainId: domain.id }, tenant)).toMatchObject({
      data: { action: 'Delete the sending domain', message: expect.stringContaining('gone.example') },
    });
    expect(await remove(domain.id)).toEqual({ deleted: true, senders: 1 });
    const [left, ...others] = await sendersOf(fixture.harness, tenant);
    expect({ left, others }).toMatchObject({ left: { isDefault: true }, others: [] });
    const { key } = await fixture.harness
      .client(domainRequests)
      .get_signing_key({ domain: 'gone.example' }, fixture.harness.caller(tenant));
    expect(key).toBeNull();
    expect(await fixture.harness.refusal('delete_domain', { domainId: domain.id }, tenant)).toBe('DOMAIN_NOT_FOUND');
  });

  it('refuses a domain whose sender a scheduled campaign or an active workflow uses, and names them', async () => {
    const domain = await fixture.verified('used.example', tenant);
    const sender = await addSender(fixture.harness, tenant, domain.id, 'news');
    const campaignId = await scheduled(fixture.harness, tenant, sender.id);
    const workflowId = await published(fixture.harness, tenant, sender.id);
    const error = await refused(domain.id);
    expect(error).toMatchObject({ code: 'CONFLICT', reason: 'DOMAIN_IN_USE' });
    for (const id of [campaignId, workflowId]) expect(error!.message).toContain(id);
    await fixture.harness.data('cancel_campaign_schedule', { campaignId }, tenant);
    const status = { workflowId, status: 'ARCHIVED' };
    await fixture.harness.data('update_workflow_status', status, tenant);
    expect(await remove(domain.id)).toEqual({ deleted: true, senders: 1 });
  });

  it('refuses the sandbox domain with DOMAIN_SANDBOX', async () => {
    const { domains } = await fixture.harness.data<{ domains: Domain[] }>('list_domains', {}, tenant);
    const sandbox = domains.find((domain) => domain.sandbox)!;
    expect(await refused(sandbox.id)).toMatchObject({ code: 'CONFLICT', reason: 'DOMAIN_SANDBOX' });
  });

  it('refuses unknown domains and those of another organization with DOMAIN_NOT_FOUND', async () => {
    const { id: domainId } = await fixture.create('ours.example', tenant);
    expect(await fixture.harness.refusal('delete_domain', { domainId: newId('dom') }, tenant)).toBe('DOMAIN_NOT_FOUND');
    expect(await fixture.harness.refusal('delete_domain', { domainId }, otherTenant)).toBe('DOMAIN_NOT_FOUND');
    expect(await fixture.harness.data('get_domain_dns_records', { domainId }, tenant)).toMatchObject({
      domain: { id: domainId },
    });
  });
});
