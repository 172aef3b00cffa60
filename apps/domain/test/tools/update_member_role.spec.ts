import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('update_member_role', () => {
  const people = openPeople();

  it('changes a role; another organization gets MEMBER_NOT_FOUND', async () => {
    const { id: userId } = await people.member('viewer');
    expect(await people.refusal(people.stranger, 'update_member_role', { userId, role: 'editor' }, people.theirs)).toBe(
      'MEMBER_NOT_FOUND',
    );
    expect(await people.data(people.owner, 'update_member_role', { userId, role: 'editor' })).toMatchObject({
      member: { id: userId, role: 'editor' },
    });
  });

  it('keeps one owner: LAST_OWNER, also when two owners step down at the same time', async () => {
    const step = (userId: string) => people.as(people.owner, 'update_member_role', { userId, role: 'admin' });
    expect(await people.refusal(people.owner, 'update_member_role', { userId: people.owner.id, role: 'admin' })).toBe(
      'LAST_OWNER',
    );
    const second = await people.member('owner');
    const outcomes = await Promise.all([step(people.owner.id), step(second.id)]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('keeps two approvers under the policy ALL: APPROVERS_TOO_FEW, also when two are demoted at the same time', async () => {
    const { organizationId } = people.theirs;
    const policy = (approvals: 'AGENTS' | 'ALL') =>
      people.repositories.organizations.update(organizationId, { approvals });
    const [first, second] = [
      await people.member('approver', people.theirs),
      await people.member('approver', people.theirs),
    ];
    await policy('ALL');
    const demote = ({ id }: { id: string }) =>
      people.as(people.stranger, 'update_member_role', { userId: id, role: 'editor' }, people.theirs);
    const outcomes = await Promise.all([demote(first), demote(second)]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ error: { reason: 'APPROVERS_TOO_FEW' } });
    await policy('AGENTS');
    expect(await demote(outcomes[0].ok ? second : first)).toMatchObject({ ok: true });
  });

  it('lets only owners touch owners: ROLE_TOO_HIGH', async () => {
    const admin = await people.member('admin');
    const viewer = await people.member('viewer');
    const owner = await people.member('owner');
    expect(await people.refusal(admin, 'update_member_role', { userId: owner.id, role: 'viewer' })).toBe(
      'ROLE_TOO_HIGH',
    );
    expect(await people.refusal(admin, 'update_member_role', { userId: viewer.id, role: 'owner' })).toBe(
      'ROLE_TOO_HIGH',
    );
  });
});
