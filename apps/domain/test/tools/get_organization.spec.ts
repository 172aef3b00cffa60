import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { openPeople } from '../people-fixture.js';

describe('get_organization', () => {
  const people = openPeople();

  it('returns settings, plan, quotas and their use; another organization gets its own', async () => {
    await people.as(people.owner, 'add_subscriber', { email: 'ada@example.com' });
    await people.as(people.owner, 'create_domain', { domain: 'shop.example.org' });
    expect(await people.data(people.owner, 'get_organization', {})).toMatchObject({
      organization: {
        id: people.ours.organizationId,
        name: 'Ours',
        approvals: 'AGENTS',
        approvalHours: 24,
        tokenDaysMax: null,
        sendDelaySeconds: 15,
        requireSecondFactor: false,
      },
      plan: 'ENTERPRISE',
      quotas: { contacts: null, mailsPerMonth: null, domains: null },
      usage: { contacts: 1, mailsPerMonth: 0, domains: 1 },
    });
    const theirs = await people.as(people.stranger, 'get_organization', {}, people.theirs);
    expect(theirs).toMatchObject({ data: { organization: { name: 'Theirs' }, usage: { contacts: 0 } } });
  });

  it('returns null for the use that a service does not report', async () => {
    const { usage } = await people.harness.bus.without('delivery', () =>
      people.data<{ usage: object }>(people.owner, 'get_organization', {}),
    );
    expect(usage).toEqual({ contacts: 1, mailsPerMonth: null, domains: 1 });
  });

  it('knows no organization that does not exist: ORGANIZATION_NOT_FOUND', async () => {
    const unknown = { organizationId: newId('org') };
    expect(await people.refusal(people.owner, 'get_organization', {}, unknown)).toBe('ORGANIZATION_NOT_FOUND');
  });
});
