import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('revoke_invitation', () => {
  const people = openPeople();

  it('ends an invitation; another organization gets INVITATION_NOT_FOUND', async () => {
    const asked = { email: 'one@example.com', role: 'viewer' };
    const { invitation } = await people.data<{ invitation: { id: string } }>(people.owner, 'invite_member', asked);
    const named = { invitationId: invitation.id };
    expect(await people.refusal(people.stranger, 'revoke_invitation', named, people.theirs)).toBe(
      'INVITATION_NOT_FOUND',
    );
    expect(await people.data(people.owner, 'revoke_invitation', named)).toEqual({ revoked: true });
    expect(await people.refusal(people.owner, 'revoke_invitation', named)).toBe('INVITATION_NOT_FOUND');
  });
});
