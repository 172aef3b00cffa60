import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { openPeople } from '../people-fixture.js';

describe('set_organization_plan', () => {
  const people = openPeople();

  it('sets plan, quotas, rate and custom fields of any organization, for operators only (ROLE_TOO_LOW, USER_REQUIRED)', async () => {
    const operator = await people.operator();
    const { organizationId } = people.theirs;
    const change = { organizationId, plan: 'PREMIUM', quotas: { contacts: 5_000 }, ratePerMinute: 77 };
    expect(await people.data(operator, 'set_organization_plan', change)).toMatchObject({
      organization: { id: organizationId, plan: 'PREMIUM', quotas: { contacts: 5_000 }, ratePerMinute: 77 },
      customFields: null,
    });
    const fields = async (customFieldsMax: number | null) =>
      await people.data(operator, 'set_organization_plan', { organizationId, customFieldsMax });
    expect(await fields(301)).toMatchObject({
      organization: { plan: 'PREMIUM', ratePerMinute: 77 },
      customFields: { limit: 301, used: 0 },
    });
    expect(await fields(null)).toMatchObject({ customFields: { limit: 300 } });
    expect(await people.refusal(people.stranger, 'set_organization_plan', change, people.theirs)).toBe('ROLE_TOO_LOW');
    const token = { ...people.owner, caller: { actor: { kind: 'TOKEN' as const, id: 'tok_x' } } };
    expect(await people.refusal(token, 'set_organization_plan', change)).toBe('USER_REQUIRED');
  });

  it('refuses nothing to change (NOTHING_TO_CHANGE) and an unknown organization (ORGANIZATION_NOT_FOUND)', async () => {
    const operator = await people.operator();
    const { organizationId } = people.theirs;
    expect(await people.refusal(operator, 'set_organization_plan', { organizationId })).toBe('NOTHING_TO_CHANGE');
    const unknown = { organizationId: newId('org'), plan: 'FREE' };
    expect(await people.refusal(operator, 'set_organization_plan', unknown)).toBe('ORGANIZATION_NOT_FOUND');
  });
});
