import { describe, expect, it } from '@jest/globals';
import { organizationTools } from '#contracts';
import { isValid, planCall } from './limits.js';
import type { HostedOrganization, LimitChoices } from './limits.js';

const organization: HostedOrganization = organizationTools.calls.list_organizations.output.parse({
  organizations: [
    {
      id: 'org_1',
      name: 'Shop',
      plan: 'FREE',
      timezone: 'Europe/Paris',
      doubleOptIn: false,
      address: null,
      number: 1,
      ratePerMinute: 100,
      currency: 'EUR',
      quotas: { contacts: 2000, mailsPerMonth: null, domains: 1 },
      cell: null,
      createdAt: '2026-05-01T09:30:00.000Z',
      updatedAt: '2026-05-01T09:30:00.000Z',
    },
  ],
}).organizations[0]!;
const kept: LimitChoices = {
  contacts: { kind: 'keep', value: '' },
  mailsPerMonth: { kind: 'keep', value: '' },
  domains: { kind: 'keep', value: '' },
  ratePerMinute: { kind: 'keep', value: '' },
};

describe('the change of limits', () => {
  it('is no call while nothing is changed', () => {
    expect(planCall(organization, 'FREE', kept)).toBeNull();
  });

  it('names what changes only; null sets a limit back to that of the plan', () => {
    expect(planCall(organization, 'PREMIUM', kept)).toEqual({ organizationId: 'org_1', plan: 'PREMIUM' });
    const choices: LimitChoices = {
      ...kept,
      contacts: { kind: 'own', value: '5000' },
      domains: { kind: 'plan', value: '9' },
      ratePerMinute: { kind: 'own', value: '700' },
    };
    const call = planCall(organization, 'FREE', choices);
    expect(call).toEqual({ organizationId: 'org_1', quotas: { contacts: 5000, domains: null }, ratePerMinute: 700 });
    expect(organizationTools.calls.set_organization_plan.input.safeParse(call).success).toBe(true);
  });

  it.each([
    ['contacts', ''],
    ['contacts', '1.5'],
    ['contacts', '-1'],
    ['domains', '2000000001'],
    ['ratePerMinute', '0'],
  ] as const)('is no call with the %s %j', (limit, value) => {
    expect(isValid(limit, { kind: 'own', value })).toBe(false);
    expect(planCall(organization, 'FREE', { ...kept, [limit]: { kind: 'own', value } })).toBeNull();
  });
});
