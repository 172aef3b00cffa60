import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';
import type { TestMember } from '../people-fixture.js';

describe('reset_member_factors', () => {
  const people = openPeople();
  const give = (member: TestMember) => people.repositories.factors.insertTotp(member.id, 'App', 'A'.repeat(32), 1);
  const refused = (by: TestMember, of: TestMember) => people.refusal(by, 'reset_member_factors', { userId: of.id });

  it('removes the factors and codes of a member, ends the sessions and mails a notice', async () => {
    const member = await people.member('viewer');
    await give(member);
    await people.repositories.recoveryCodes.replace(member.id, ['a'.repeat(64)]);
    await people.repositories.sessions.insert(member.id, 'b'.repeat(64), { browser: null, ip: '192.0.2.1' });
    const reset = () => people.data(people.owner, 'reset_member_factors', { userId: member.id });
    expect(await reset()).toEqual({ removed: 1, ended: 1 });
    expect(await people.repositories.factors.list(member.id)).toEqual([]);
    expect(await people.repositories.recoveryCodes.count(member.id)).toEqual({ left: 0, total: 0 });
    expect(await people.repositories.sessions.listOfUser(member.id)).toEqual([]);
    const mails = await people.harness
      .dataSource('delivery')
      .query<{ subject: string }[]>(`select subject from message where email = $1`, [member.email]);
    expect(mails).toEqual([{ subject: 'Your second factors for Tidings were reset' }]);
    expect(await reset()).toEqual({ removed: 0, ended: 0 });
  });

  it('knows no member of another organization: MEMBER_NOT_FOUND', async () => {
    const member = await people.member('viewer');
    await give(member);
    const call = { userId: member.id };
    expect(await people.refusal(people.stranger, 'reset_member_factors', call, people.theirs)).toBe('MEMBER_NOT_FOUND');
    expect(await people.repositories.factors.list(member.id)).toHaveLength(1);
  });

  it('lets no admin reset an owner, here or of another organization: ROLE_TOO_HIGH', async () => {
    const admin = await people.member('admin');
    expect(await refused(admin, people.owner)).toBe('ROLE_TOO_HIGH');
    await people.repositories.members.insert(people.ours.organizationId, people.stranger.id, 'viewer');
    await give(people.stranger);
    for (const by of [admin, people.owner]) expect(await refused(by, people.stranger)).toBe('ROLE_TOO_HIGH');
    expect(await people.repositories.factors.list(people.stranger.id)).toHaveLength(1);
  });

  it('lets only operators reset an operator: ROLE_TOO_LOW', async () => {
    const operator = await people.operator();
    expect(await refused(people.owner, operator)).toBe('ROLE_TOO_LOW');
    const other = await people.operator();
    expect(await people.data(other, 'reset_member_factors', { userId: operator.id })).toEqual({ removed: 0, ended: 0 });
  });
});
