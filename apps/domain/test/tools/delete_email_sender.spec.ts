import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { DomainFixture } from '../domain-fixture.js';
import type { Domain } from '../domain-fixture.js';
import { addSender, published, scheduled, sendersOf } from '../sender-users.js';

describe('delete_email_sender', () => {
  let fixture: DomainFixture;
  let tenant: Tenant;
  let otherTenant: Tenant;
  let sandbox: Domain;
  beforeAll(async () => {
    fixture = await DomainFixture.open();
    tenant = await fixture.organization('Ours');
    otherTenant = await fixture.organization('Theirs');
    sandbox = (await fixture.harness.data<{ domains: Domain[] }>('list_domains', {}, tenant)).domains[0]!;
  });
  afterAll(() => fixture.close());
  const add = (localPart: string) => addSender(fixture.harness, tenant, sandbox.id, localPart);

  it('deletes a sender; if it was the default, another one becomes it', async () => {
    const [first] = await sendersOf(fixture.harness, tenant);
    const second = await add('second');
    await fixture.harness.data('set_default_sender', { senderId: second.id }, tenant);
    expect(await fixture.harness.describe('delete_email_sender', { senderId: second.id }, tenant)).toMatchObject({
      data: { action: 'Delete the sender', message: expect.stringContaining(second.email) },
    });
    expect(await fixture.harness.data('delete_email_sender', { senderId: second.id }, tenant)).toMatchObject({
      deleted: true,
      sender: { id: second.id },
    });
    expect(await sendersOf(fixture.harness, tenant)).toMatchObject([{ id: first!.id, isDefault: true }]);
  });

  it('refuses a sender that a scheduled campaign or an active workflow uses, and names them', async () => {
    const { id: senderId } = await add('used');
    const campaignId = await scheduled(fixture.harness, tenant, senderId);
    const workflowId = await published(fixture.harness, tenant, senderId);
    const outcome = await fixture.harness.call('delete_email_sender', { senderId }, tenant);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CONFLICT', reason: 'SENDER_IN_USE' } });
    for (const id of [campaignId, workflowId]) expect(outcome.ok ? '' : outcome.error.message).toContain(id);
  });

  it('refuses unknown senders and those of another organization with SENDER_NOT_FOUND', async () => {
    const { id: senderId } = await add('ours');
    const refusal = (id: string, by: Tenant) => fixture.harness.refusal('delete_email_sender', { senderId: id }, by);
    expect(await refusal(newId('snd'), tenant)).toBe('SENDER_NOT_FOUND');
    expect(await refusal(senderId, otherTenant)).toBe('SENDER_NOT_FOUND');
    expect((await sendersOf(fixture.harness, tenant)).map(({ id }) => id)).toContain(senderId);
  });
});
