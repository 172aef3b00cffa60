import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('set_plan_quotas', () => {
  const people = openPeople();
  const none = { contacts: null, mailsPerMonth: null, domains: null };
  const quotas = { contacts: 10, domains: 2 };

  it('sets what a plan includes for all its organizations, and notifies the services', async () => {
    const operator = await people.operator();
    const set = (change: object) => people.data(operator, 'set_plan_quotas', { plan: 'PREMIUM', quotas: change });
    const { organizationId } = people.theirs;
    await people.data(operator, 'set_organization_plan', { organizationId, plan: 'PREMIUM' });
    const changed: unknown[] = [];
    people.harness.bus.onBroadcast('organization.changed', (message) => changed.push(message));
    const plan = { plan: 'PREMIUM', ratePerMinute: 700, quotas: { ...none, ...quotas } };
    expect(await set(quotas)).toEqual({ plan });
    expect(changed).toEqual([{ organizationId }]);
    expect(await set({ contacts: null, domains: null })).toEqual({ plan: { ...plan, quotas: none } });
  });

  it('is for operators only (ROLE_TOO_LOW, USER_REQUIRED), and needs a quota (NOTHING_TO_CHANGE)', async () => {
    const operator = await people.operator();
    const before = await people.data(operator, 'list_plans', {});
    const input = { plan: 'FREE', quotas };
    const token = { ...people.owner, caller: { actor: { kind: 'TOKEN' as const, id: 'tok_x' } } };
    expect(await people.refusal(people.stranger, 'set_plan_quotas', input, people.theirs)).toBe('ROLE_TOO_LOW');
    expect(await people.refusal(token, 'set_plan_quotas', input)).toBe('USER_REQUIRED');
    expect(await people.refusal(operator, 'set_plan_quotas', { plan: 'FREE', quotas: {} })).toBe('NOTHING_TO_CHANGE');
    expect(await people.data(operator, 'list_plans', {})).toEqual(before);
  });
});
