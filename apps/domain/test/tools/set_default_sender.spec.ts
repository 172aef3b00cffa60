import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { DomainFixture } from '../domain-fixture.js';
import type { Domain } from '../domain-fixture.js';
import { addSender, sendersOf } from '../sender-users.js';

describe('set_default_sender', () => {
  let fixture: DomainFixture;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    fixture = await DomainFixture.open();
    tenant = await fixture.organization('Ours');
    otherTenant = await fixture.organization('Theirs');
  });
  afterAll(() => fixture.close());

  it('makes a sender the only default, and succeeds when repeated', async () => {
    const [sandbox] = (await fixture.harness.data<{ domains: Domain[] }>('list_domains', {}, tenant)).domains;
    const { id: senderId } = await addSender(fixture.harness, tenant, sandbox!.id, 'second');
    for (let n = 0; n < 2; n++)
      expect(await fixture.harness.data('set_default_sender', { senderId }, tenant)).toMatchObject({
        sender: { id: senderId, isDefault: true },
      });
    const senders = await sendersOf(fixture.harness, tenant);
    expect(senders.filter(({ isDefault }) => isDefault)).toMatchObject([{ id: senderId }]);
  });

  it('refuses unknown senders and those of another organization with SENDER_NOT_FOUND', async () => {
    const [ours] = await sendersOf(fixture.harness, tenant);
    for (const [senderId, by] of [
      [newId('snd'), tenant],
      [ours!.id, otherTenant],
    ] as const)
      expect(await fixture.harness.refusal('set_default_sender', { senderId }, by)).toBe('SENDER_NOT_FOUND');
    expect((await sendersOf(fixture.harness, tenant))[0]).toEqual(ours);
  });
});
