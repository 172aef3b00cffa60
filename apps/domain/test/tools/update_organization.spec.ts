import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { openPeople } from '../people-fixture.js';
import type { TestMember } from '../people-fixture.js';

interface Answer {
  organization: { updatedAt: string; approvals: string };
}

describe('update_organization', () => {
  const people = openPeople();
  const update = (change: object, by = people.owner) => people.data<Answer>(by, 'update_organization', change);
  const refused = (change: object, by = people.owner) => people.refusal(by, 'update_organization', change);

  it('changes each setting, and leaves the others; another organization changes its own', async () => {
    const change = {
      name: 'Ours & Sons',
      timezone: 'Asia/Tokyo',
      address: '1 Main Street',
      currency: 'EUR',
      doubleOptIn: true,
      trackOpens: false,
      trackClicks: false,
      approvalHours: 168,
      tokenDaysMax: 366,
      sendDelaySeconds: 0,
    };
    expect(await update(change, await people.member('admin'))).toMatchObject({ organization: change });
    expect(await update({ tokenDaysMax: null })).toMatchObject({ organization: { ...change, tokenDaysMax: null } });
    await people.as(people.stranger, 'update_organization', { name: 'Others' }, people.theirs);
    expect(await people.data(people.owner, 'get_organization', {})).toMatchObject({
      organization: { name: 'Ours & Sons' },
    });
  });

  it('refuses what is out of range, and nothing: NOTHING_TO_CHANGE', async () => {
    for (const change of [
      { approvalHours: 0 },
      { approvalHours: 169 },
      { tokenDaysMax: 367 },
      { sendDelaySeconds: 301 },
      { currency: 'euro' },
      { requireSecondFactor: 'yes' },
      { plan: 'FREE' },
    ])
      expect(await refused(change)).toBe('PARAMETERS_INVALID');
    expect(await refused({})).toBe('NOTHING_TO_CHANGE');
    expect(await refused({ timezone: 'Europe/Atlantis' })).toBe('TIMEZONE_UNKNOWN');
    const unknown = { organizationId: newId('org') };
    expect(await people.refusal(people.owner, 'update_organization', { currency: 'EUR' }, unknown)).toBe(
      'ORGANIZATION_NOT_FOUND',
    );
  });

  it('refuses a change of settings that were changed since (If-Match): EXPECTED_UPDATED_AT_STALE', async () => {
    const { organization } = await update({ currency: 'USD' });
    const call = (ifMatch: string) =>
      people.harness.call('update_organization', { currency: 'CHF' }, people.ours, { ...people.owner.caller, ifMatch });
    expect(await call(organization.updatedAt)).toMatchObject({ ok: true });
    expect(await call(organization.updatedAt)).toMatchObject({ error: { reason: 'EXPECTED_UPDATED_AT_STALE' } });
  });

  it('lets only owners change the policy of approvals: ROLE_TOO_LOW', async () => {
    const token: TestMember = { ...people.owner, caller: { actor: { kind: 'TOKEN', id: 'tok_x' }, scopes: ['admin'] } };
    for (const by of [await people.member('admin'), token])
      expect(await refused({ approvals: 'ALL' }, by)).toBe('ROLE_TOO_LOW');
  });

  it('lets an owner who has a second factor require one of all: FACTOR_MISSING, ROLE_TOO_LOW', async () => {
    expect(await refused({ requireSecondFactor: true }, await people.member('admin'))).toBe('ROLE_TOO_LOW');
    expect(await refused({ requireSecondFactor: true })).toBe('FACTOR_MISSING');
    await people.repositories.factors.insertTotp(people.owner.id, 'App', 'A'.repeat(32), 1);
    expect(await update({ requireSecondFactor: true })).toMatchObject({ organization: { requireSecondFactor: true } });
    expect(await update({ currency: 'EUR' })).toMatchObject({ organization: { requireSecondFactor: true } });
    expect(await update({ requireSecondFactor: false })).toMatchObject({
      organization: { requireSecondFactor: false },
    });
  });

  it('keeps two approvers under the policy ALL: APPROVERS_TOO_FEW', async () => {
    for (const { id } of await listApprovers())
      if (id !== people.owner.id) await people.data(people.owner, 'remove_member', { userId: id });
    expect(await refused({ approvals: 'ALL' })).toBe('APPROVERS_TOO_FEW');
    const { id: userId } = await people.member('approver');
    expect((await update({ approvals: 'ALL' })).organization.approvals).toBe('ALL');
    const demote = { userId, role: 'editor' };
    expect(await people.refusal(people.owner, 'update_member_role', demote)).toBe('APPROVERS_TOO_FEW');
    expect(await people.refusal(people.owner, 'remove_member', { userId })).toBe('APPROVERS_TOO_FEW');
    await people.member('admin');
    await people.data(people.owner, 'update_member_role', demote);
    await update({ approvals: 'AGENTS' });
  });

  const listApprovers = async () =>
    (await people.data<{ members: { id: string; role: string }[] }>(people.owner, 'list_members', {})).members.filter(
      ({ role }) => ['approver', 'admin', 'owner'].includes(role),
    );
});
