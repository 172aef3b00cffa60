import { beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Answer {
  organization: { id: string; name: string; timezone: string; updatedAt: string };
}

describe('update_organization_settings', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: { organizationId: string };
  let otherTenant: { organizationId: string };
  beforeAll(async () => {
    const create = async (name: string) => {
      const caller = harness.caller({ organizationId: '' });
      const { organization } = await harness.client(domainRequests).create_organization({ name }, caller);
      return { organizationId: organization.id };
    };
    [tenant, otherTenant] = await Promise.all([create('Ours'), create('Theirs')]);
  });

  const change = (input: object) => harness.data<Answer>('update_organization_settings', input, tenant);
  const senderName = async () =>
    (await harness.data<{ senders: { displayName: string }[] }>('get_email_senders', {}, tenant)).senders[0]!
      .displayName;

  it('changes the time zone alone, and answers the organization', async () => {
    expect(await change({ timezone: 'america/new_york' })).toEqual({
      organization: {
        id: tenant.organizationId,
        name: 'Ours',
        timezone: 'America/New_York',
        address: null,
        plan: 'ENTERPRISE',
        doubleOptIn: false,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    });
  });

  it('changes the name alone, also that of the sandbox sender, and moves updatedAt on', async () => {
    const before = (await change({ timezone: 'UTC' })).organization;
    const after = (await change({ name: '  Ours & Sons ' })).organization;
    expect(after).toMatchObject({ name: 'Ours & Sons', timezone: 'UTC' });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(await senderName()).toBe('Ours & Sons');
  });

  it('refuses a name that no sender could have, since that of the sandbox has it too', async () => {
    expect(await harness.call('update_organization_settings', { name: 'Ours\r\nBcc: a@x.org' }, tenant)).toMatchObject({
      error: { reason: 'PARAMETERS_INVALID', message: 'name: must not contain control characters.' },
    });
    const name = 'Theirs\u001b[2K';
    await expect(
      harness.client(domainRequests).create_organization({ name }, harness.caller({ organizationId: '' })),
    ).rejects.toThrow('control characters');
  });

  it('notifies the other services, which cache settings', async () => {
    const heard: unknown[] = [];
    harness.bus.onBroadcast('organization.changed', (message) => heard.push(message));
    await change({ timezone: 'Asia/Tokyo' });
    expect(heard).toEqual([tenant]);
  });

  it('refuses an unknown zone with TIMEZONE_UNKNOWN and leaves the name as it was', async () => {
    const refused = { name: 'Other', timezone: 'Europe/Atlantis' };
    expect(await harness.refusal('update_organization_settings', refused, tenant)).toBe('TIMEZONE_UNKNOWN');
    expect((await change({ timezone: 'UTC' })).organization.name).not.toBe('Other');
    expect(await senderName()).not.toBe('Other');
  });

  it('refuses a call that changes nothing with NOTHING_TO_CHANGE', async () => {
    for (const input of [{}, { name: null, timezone: null }]) {
      expect(await harness.refusal('update_organization_settings', input, tenant)).toBe('NOTHING_TO_CHANGE');
    }
  });

  it('refuses an empty name, a long one, and parameters it does not have', async () => {
    for (const input of [{ name: ' ' }, { name: 'x'.repeat(256) }, { plan: 'FREE' }, { organizationId: 'org_x' }]) {
      expect(await harness.refusal('update_organization_settings', input, tenant)).toBe('PARAMETERS_INVALID');
    }
  });

  it('changes no other organization, and none that does not exist (ORGANIZATION_NOT_FOUND)', async () => {
    await change({ name: 'Mine alone' });
    const requests = harness.client(domainRequests);
    expect((await requests.get_organization({}, harness.caller(otherTenant))).organization.name).toBe('Theirs');
    const unknown = { organizationId: newId('org') };
    expect(await harness.refusal('update_organization_settings', { name: 'X' }, unknown)).toBe(
      'ORGANIZATION_NOT_FOUND',
    );
  });
});
