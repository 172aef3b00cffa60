import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('send_password_reset', () => {
  const people = openPeople();

  it('mails a link, at most three within the hour; another organization gets MEMBER_NOT_FOUND', async () => {
    const { id: userId } = await people.member('viewer');
    expect(await people.refusal(people.stranger, 'send_password_reset', { userId }, people.theirs)).toBe(
      'MEMBER_NOT_FOUND',
    );
    const sent: unknown[] = [];
    for (let n = 0; n < 4; n++) sent.push(await people.data(people.owner, 'send_password_reset', { userId }));
    expect(sent).toEqual([{ sent: true }, { sent: true }, { sent: true }, { sent: false }]);
  });

  it('lets no admin reset the password of an owner: ROLE_TOO_HIGH', async () => {
    const admin = await people.member('admin');
    expect(await people.refusal(admin, 'send_password_reset', { userId: people.owner.id })).toBe('ROLE_TOO_HIGH');
  });
});
