import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('get_me', () => {
  const people = openPeople();

  it.each(['viewer', 'editor', 'admin'] as const)('returns the rights of the role %s', async (role) => {
    const member = await people.member(role);
    expect(await people.data(member, 'get_me', {})).toMatchObject({
      actor: { kind: 'USER', id: member.id, email: member.email, operator: false },
      organization: { id: people.ours.organizationId, name: 'Ours' },
      role,
      asks: role === 'editor',
      scopes: member.caller.scopes,
      rateLimit: 300,
      organizations: [{ id: people.ours.organizationId, role }],
    });
  });

  it('shows a user of another organization nothing of this one', async () => {
    const outcome = await people.as(people.stranger, 'get_me', {}, people.theirs);
    expect(JSON.stringify(outcome)).not.toContain(people.ours.organizationId);
  });
});
