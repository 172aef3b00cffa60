import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('invite_member', () => {
  const people = openPeople();
  const invite = (email: string, role = 'viewer') =>
    people.data<{ invitation: { id: string } }>(people.owner, 'invite_member', { email, role });

  it('invites an address by mail, and renews the invitation when asked again', async () => {
    const first = await invite('New@Example.com');
    expect(first).toEqual({
      invitation: {
        id: expect.stringMatching(/^inv_/),
        email: 'New@example.com',
        role: 'viewer',
        invitedBy: 'The owner',
        expiresAt: expect.any(String),
      },
    });
    expect((await invite('new@example.com', 'editor')).invitation).toMatchObject({
      id: first.invitation.id,
      role: 'editor',
    });
  });

  it('refuses members with MEMBER_EXISTS, and what is no address with PARAMETERS_INVALID', async () => {
    const { email } = await people.member('viewer');
    expect(await people.refusal(people.owner, 'invite_member', { email: email.toUpperCase(), role: 'viewer' })).toBe(
      'MEMBER_EXISTS',
    );
    expect(await people.refusal(people.owner, 'invite_member', { email: 'no address', role: 'viewer' })).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('lets only owners invite owners: ROLE_TOO_HIGH', async () => {
    const admin = await people.member('admin');
    expect(await people.refusal(admin, 'invite_member', { email: 'boss@example.com', role: 'owner' })).toBe(
      'ROLE_TOO_HIGH',
    );
  });

  it('refuses the 101st open invitation with INVITATIONS_TOO_MANY', async () => {
    await people.harness.dataSource('domain').query(
      `insert into invitation (organization_id, invitation_id, email, email_key, role, token_hash, expires_at)
       select organization_id, gen_random_uuid(), n || '@many.example', n || '@many.example', 'viewer', n::text, now() + interval '1 day'
       from organization, generate_series(1, 100) n where name = 'Ours'`,
    );
    expect(await people.refusal(people.owner, 'invite_member', { email: 'one.more@example.com', role: 'viewer' })).toBe(
      'INVITATIONS_TOO_MANY',
    );
  });
});
