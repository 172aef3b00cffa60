import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('create_organization', () => {
  const people = openPeople();

  it('creates one that can send from its sandbox, for operators only (ROLE_TOO_LOW, USER_REQUIRED)', async () => {
    const operator = await people.operator();
    expect(await people.data(operator, 'create_organization', { name: 'Third' })).toMatchObject({
      organization: { name: 'Third', plan: 'ENTERPRISE', cell: null },
      sender: { displayName: 'Third', isDefault: expect.any(Boolean) },
    });
    const asked = { name: 'Fourth' };
    expect(await people.refusal(operator, 'create_organization', { ...asked, cell: 'mars' })).toBe('CELL_UNKNOWN');
    expect(await people.refusal(people.stranger, 'create_organization', asked, people.theirs)).toBe('ROLE_TOO_LOW');
    const token = { ...people.owner, caller: { actor: { kind: 'TOKEN' as const, id: 'tok_x' } } };
    expect(await people.refusal(token, 'create_organization', asked)).toBe('USER_REQUIRED');
  });
});
