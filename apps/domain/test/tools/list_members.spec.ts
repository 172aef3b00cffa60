import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('list_members', () => {
  const people = openPeople();

  it('lists members by name, and none of another organization', async () => {
    const viewer = await people.member('viewer');
    await people.repositories.factors.insertTotp(people.owner.id, 'App', 'A'.repeat(32), 1);
    expect(await people.data(viewer, 'list_members', {})).toEqual({
      members: [
        {
          id: people.owner.id,
          email: people.owner.email,
          name: 'The owner',
          role: 'owner',
          secondFactor: true,
          lastSeenAt: null,
        },
        {
          id: viewer.id,
          email: viewer.email,
          name: 'The viewer',
          role: 'viewer',
          secondFactor: false,
          lastSeenAt: null,
        },
      ],
    });
  });
});
