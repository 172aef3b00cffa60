import { describe, expect, it } from '@jest/globals';
import type { Membership } from '../data/session.js';
import { askable, askedOrganization } from './asked-organization.js';

const member = (number: number, role: Membership['role']): Membership => ({
  id: `org_${number}`,
  number,
  name: `Shop ${number}`,
  role,
});
const memberships = [member(1, 'viewer'), member(2, 'admin'), member(3, 'owner'), member(4, 'approver')];

describe('the organization that an operator asks as', () => {
  it('is the named one, else the last used, else the first, of those that the user administers', () => {
    expect(askable(memberships).map(({ number }) => number)).toEqual([2, 3]);
    expect(askedOrganization(memberships, 3, 2)).toBe(3);
    expect(askedOrganization(memberships, undefined, 3)).toBe(3);
    expect(askedOrganization(memberships, 4, 1)).toBe(2);
  });

  it('is none for a user who administers nothing', () => {
    expect(askedOrganization([member(1, 'approver')], 1, 1)).toBeNull();
  });
});
