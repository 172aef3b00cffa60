import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('list_plans', () => {
  const people = openPeople();

  it('lists the quotas and rates of all plans, for operators only (ROLE_TOO_LOW, USER_REQUIRED)', async () => {
    const quotas = { contacts: null, mailsPerMonth: null, domains: null };
    expect(await people.data(await people.operator(), 'list_plans', {})).toEqual({
      plans: [
        { plan: 'ENTERPRISE', ratePerMinute: 2000, quotas },
        { plan: 'FREE', ratePerMinute: 100, quotas },
        { plan: 'PREMIUM', ratePerMinute: 700, quotas },
      ],
    });
    expect(await people.refusal(people.stranger, 'list_plans', {}, people.theirs)).toBe('ROLE_TOO_LOW');
    const token = { ...people.owner, caller: { actor: { kind: 'TOKEN' as const, id: 'tok_x' } } };
    expect(await people.refusal(token, 'list_plans', {})).toBe('USER_REQUIRED');
  });
});
