import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { DomainFixture } from '../domain-fixture.js';
import { sendersOf } from '../sender-users.js';

describe('update_email_sender', () => {
  let fixture: DomainFixture;
  let tenant: Tenant;
  let otherTenant: Tenant;
  let senderId: string;
  beforeAll(async () => {
    fixture = await DomainFixture.open();
    tenant = await fixture.organization('Ours');
    otherTenant = await fixture.organization('Theirs');
    senderId = (await sendersOf(fixture.harness, tenant))[0]!.id;
  });
  afterAll(() => fixture.close());
  const update = (change: object) => fixture.harness.data('update_email_sender', { senderId, ...change }, tenant);
  const refusal = (change: object, by = tenant) =>
    fixture.harness.refusal('update_email_sender', { senderId, ...change }, by);

  it('changes the given fields and keeps the others; null clears the reply-to address', async () => {
    expect(await update({ displayName: ' Ada ', replyTo: ['help@acme.example'] })).toMatchObject({
      sender: { id: senderId, displayName: 'Ada', replyTo: 'help@acme.example', isDefault: true },
    });
    expect(await update({ displayName: 'Ada L.' })).toMatchObject({ sender: { replyTo: 'help@acme.example' } });
    const cleared = await update({ replyTo: null });
    expect(cleared).toMatchObject({ sender: { displayName: 'Ada L.', replyTo: null } });
    expect(await sendersOf(fixture.harness, tenant)).toEqual([(cleared as { sender?: object }).sender]);
  });

  it('refuses a wrong reply-to address, and a call without a change', async () => {
    expect(await refusal({ replyTo: 'no address' })).toBe('SENDER_REPLY_TO_INVALID');
    expect(await refusal({})).toBe('NOTHING_TO_CHANGE');
  });

  it('refuses unknown senders and those of another organization with SENDER_NOT_FOUND', async () => {
    expect(await refusal({ senderId: newId('snd'), displayName: 'X' })).toBe('SENDER_NOT_FOUND');
    expect(await refusal({ displayName: 'Stolen' }, otherTenant)).toBe('SENDER_NOT_FOUND');
    expect((await sendersOf(fixture.harness, tenant))[0]).not.toMatchObject({ displayName: 'Stolen' });
  });
});
