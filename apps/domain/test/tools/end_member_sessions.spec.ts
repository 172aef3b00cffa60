import { describe, expect, it } from '@jest/globals';
import { SessionRepository } from '../../src/session/session.repository.js';
import { openPeople } from '../people-fixture.js';

describe('end_member_sessions', () => {
  const people = openPeople();

  it('ends all sessions of a member; another organization gets MEMBER_NOT_FOUND', async () => {
    const { id: userId } = await people.member('viewer');
    const sessions = new SessionRepository(people.harness.dataSource('domain').manager);
    for (const hash of ['a', 'b']) await sessions.insert(userId, hash.repeat(64), { browser: null, ip: '192.0.2.1' });
    expect(await people.refusal(people.stranger, 'end_member_sessions', { userId }, people.theirs)).toBe(
      'MEMBER_NOT_FOUND',
    );
    expect(await people.data(people.owner, 'end_member_sessions', { userId })).toEqual({ ended: 2 });
    expect(await sessions.findByHash('a'.repeat(64))).toBeNull();
  });

  it('lets no admin end the sessions of an owner: ROLE_TOO_HIGH', async () => {
    const admin = await people.member('admin');
    expect(await people.refusal(admin, 'end_member_sessions', { userId: people.owner.id })).toBe('ROLE_TOO_HIGH');
  });
});
