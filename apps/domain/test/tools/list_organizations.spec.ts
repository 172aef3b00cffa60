import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('list_organizations', () => {
  const people = openPeople();

  it('lists all to operators; members of another organization get ROLE_TOO_LOW, tokens USER_REQUIRED', async () => {
    const operator = await people.operator();
    const list = await people.data<{ organizations: { name: string; ratePerMinute: number }[] }>(
      operator,
      'list_organizations',
      {},
    );
    expect(list.organizations.map(({ name }) => name)).toEqual(['Ours', 'Theirs']);
    expect(await people.refusal(people.stranger, 'list_organizations', {}, people.theirs)).toBe('ROLE_TOO_LOW');
    const token = { ...people.owner, caller: { actor: { kind: 'TOKEN' as const, id: 'tok_x' } } };
    expect(await people.refusal(token, 'list_organizations', {})).toBe('USER_REQUIRED');
  });
});
