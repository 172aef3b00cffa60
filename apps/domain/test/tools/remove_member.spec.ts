import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';
import { makeToken } from '../tokens.js';

describe('remove_member', () => {
  const people = openPeople();

  it('describes and ends a membership; another organization gets MEMBER_NOT_FOUND', async () => {
    const { id: userId, email } = await people.member('viewer');
    expect(await people.refusal(people.stranger, 'remove_member', { userId }, people.theirs)).toBe('MEMBER_NOT_FOUND');
    expect(await people.harness.describe('remove_member', { userId }, people.ours)).toMatchObject({
      data: { action: 'Remove the member', message: expect.stringContaining(`The viewer (${email}), viewer`) },
    });
    expect(await people.data(people.owner, 'remove_member', { userId })).toEqual({ removed: true, tokens: 0 });
    expect(await people.refusal(people.owner, 'remove_member', { userId })).toBe('MEMBER_NOT_FOUND');
  });

  it('keeps two approvers under the policy ALL: APPROVERS_TOO_FEW', async () => {
    const { organizationId } = people.theirs;
    const { id: userId } = await people.member('approver', people.theirs);
    const remove = () => people.as(people.stranger, 'remove_member', { userId }, people.theirs);
    await people.repositories.organizations.update(organizationId, { approvals: 'ALL' });
    expect(await remove()).toMatchObject({ error: { reason: 'APPROVERS_TOO_FEW' } });
    await people.repositories.organizations.update(organizationId, { approvals: 'AGENTS' });
    expect(await remove()).toMatchObject({ ok: true });
  });

  it('ends the PERSONAL tokens of the member, and withdraws what they asked for', async () => {
    const member = await people.member('editor');
    const { token } = await makeToken(people, member, { kind: 'PERSONAL' });
    const approvalId = await people.ask(member, 'news');
    expect(await people.data(people.owner, 'remove_member', { userId: member.id })).toEqual({
      removed: true,
      tokens: 1,
    });
    expect(await people.repositories.tokens.isInForce(token.id)).toBe(false);
    expect(await people.data(people.owner, 'get_approval', { approvalId })).toMatchObject({
      approval: { state: 'WITHDRAWN' },
    });
  });

  it('keeps the last owner (LAST_OWNER), and lets admins remove no owner (ROLE_TOO_HIGH)', async () => {
    const admin = await people.member('admin');
    const named = { userId: people.owner.id };
    expect(await people.refusal(people.owner, 'remove_member', named)).toBe('LAST_OWNER');
    expect(await people.refusal(admin, 'remove_member', named)).toBe('ROLE_TOO_HIGH');
  });
});
