import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('list_invitations', () => {
  const people = openPeople();

  it('lists open invitations, and none of another organization', async () => {
    await people.data(people.owner, 'invite_member', { email: 'one@example.com', role: 'viewer' });
    expect(await people.data(people.owner, 'list_invitations', {})).toMatchObject({
      invitations: [{ email: 'one@example.com' }],
    });
    expect(await people.as(people.stranger, 'list_invitations', {}, people.theirs)).toMatchObject({
      data: { invitations: [] },
    });
  });
});
