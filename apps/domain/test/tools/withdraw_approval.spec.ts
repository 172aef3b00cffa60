import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('withdraw_approval', () => {
  const people = openPeople();

  it("withdraws the caller's own call once: then APPROVAL_DECIDED", async () => {
    const asker = await people.member('editor');
    const approvalId = await people.ask(asker, 'doomed');
    expect(await people.data(asker, 'withdraw_approval', { approvalId })).toEqual({ withdrawn: true });
    expect(await people.refusal(asker, 'withdraw_approval', { approvalId })).toBe('APPROVAL_DECIDED');
    expect(await people.ask(asker, 'doomed')).not.toBe(approvalId);
  });

  it("answers others' calls with APPROVAL_NOT_FOUND, in and out of the organization", async () => {
    const approvalId = await people.ask(await people.member('editor'), 'mine');
    const named = { approvalId };
    expect(await people.refusal(people.owner, 'withdraw_approval', named)).toBe('APPROVAL_NOT_FOUND');
    expect(await people.refusal(people.stranger, 'withdraw_approval', named, people.theirs)).toBe('APPROVAL_NOT_FOUND');
  });
});
