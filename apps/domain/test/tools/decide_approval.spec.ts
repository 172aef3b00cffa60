import { describe, expect, it } from '@jest/globals';
import { MemberRepository } from '../../src/member/member.repository.js';
import { openPeople } from '../people-fixture.js';
import type { TestMember } from '../people-fixture.js';

describe('decide_approval', () => {
  const people = openPeople();
  const tagNames = async () =>
    (await people.data<{ tags: { name: string }[] }>(people.owner, 'list_tags', {})).tags.map(({ name }) => name);
  const hashOf = async (approvalId: string) =>
    (await people.data<{ approval: { contentHash: string } }>(people.owner, 'get_approval', { approvalId })).approval
      .contentHash;
  /** A tag that an editor asks to delete, as the gateway would ask: with the description of the call. */
  async function asked(name: string, asker?: TestMember): Promise<{ approvalId: string; seen: string }> {
    await people.data(people.owner, 'create_tag', { name });
    const approvalId = await people.ask(asker ?? (await people.member('editor')), name);
    return { approvalId, seen: await hashOf(approvalId) };
  }
  const decide = (input: object, member = people.owner) => people.as(member, 'decide_approval', input);

  it('carries an approved call out, once under ten approvals at a time', async () => {
    const { approvalId, seen } = await asked('doomed');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => decide({ approvalId, approved: true, seen })));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.reason]))).toEqual(
      Array(9).fill('APPROVAL_DECIDED'),
    );
    expect(outcomes.find(({ ok }) => ok)).toMatchObject({
      data: { approval: { state: 'EXECUTED', decidedBy: 'The owner' }, result: { deleted: true } },
    });
    expect(await tagNames()).not.toContain('doomed');
  });

  it('carries out a call that was approved before its process ended', async () => {
    const { approvalId } = await asked('left over');
    await people.harness
      .dataSource('domain')
      .query(
        `update approval set state = 'EXECUTING', decided_at = now() - interval '1 minute' where approval_id = (select max(approval_id::text)::uuid from approval)`,
      );
    const resumed = await people.resumeApprovals();
    expect(resumed).toBe(1);
    expect(await people.resumeApprovals()).toBe(0);
    expect(await people.data(people.owner, 'get_approval', { approvalId })).toMatchObject({
      approval: { state: 'EXECUTED' },
    });
    expect(await tagNames()).not.toContain('left over');
  });

  it('rejects with a note, and refuses a second decision with APPROVAL_DECIDED', async () => {
    const { approvalId, seen } = await asked('kept');
    expect(await decide({ approvalId, approved: false, note: 'Too early.' })).toMatchObject({
      data: { approval: { state: 'REJECTED', note: 'Too early.' } },
    });
    expect(await people.refusal(people.owner, 'decide_approval', { approvalId, approved: true, seen })).toBe(
      'APPROVAL_DECIDED',
    );
    expect(await tagNames()).toContain('kept');
  });

  it('keeps the refusal of a call that cannot be carried out any more', async () => {
    const { approvalId, seen } = await asked('gone');
    await people.data(people.owner, 'delete_tag', { name: 'gone' });
    expect(await decide({ approvalId, approved: true, seen })).toMatchObject({
      data: { approval: { state: 'FAILED' }, result: { reason: 'TAG_NOT_FOUND' } },
    });
  });

  it('binds what was seen: APPROVAL_CHANGED for another hash, PARAMETERS_INVALID without one', async () => {
    const { approvalId } = await asked('bound');
    expect(
      await people.refusal(people.owner, 'decide_approval', { approvalId, approved: true, seen: '0'.repeat(64) }),
    ).toBe('APPROVAL_CHANGED');
    expect(await people.refusal(people.owner, 'decide_approval', { approvalId, approved: true })).toBe(
      'PARAMETERS_INVALID',
    );
    expect(await tagNames()).toContain('bound');
  });

  it('needs an asker who may still ask: ASKER_GONE', async () => {
    const asker = await people.member('editor');
    const { approvalId, seen } = await asked('orphan', asker);
    await new MemberRepository(people.harness.dataSource('domain').manager).delete(
      people.ours.organizationId,
      asker.id,
    );
    expect(await people.refusal(people.owner, 'decide_approval', { approvalId, approved: true, seen })).toBe(
      'ASKER_GONE',
    );
  });

  it('lets another approver decide where all must ask: APPROVAL_OWN', async () => {
    const approver = await people.member('approver');
    const { approvalId, seen } = await asked('own', approver);
    await people.harness.dataSource('domain').query(`update organization set approvals = 'ALL'`);
    expect(await people.refusal(approver, 'decide_approval', { approvalId, approved: true, seen })).toBe(
      'APPROVAL_OWN',
    );
    expect(await decide({ approvalId, approved: true, seen })).toMatchObject({ ok: true });
    await people.harness.dataSource('domain').query(`update organization set approvals = 'AGENTS'`);
  });

  it('takes who made or rotated the asking token for its asker where all must ask: APPROVAL_OWN', async () => {
    const [maker, rotator, other] = [people.owner, await people.member('admin'), await people.member('approver')];
    const made = { name: 'agent', scopes: ['read', 'write'], kind: 'ORGANIZATION' };
    const { token } = await people.data<{ token: { id: string } }>(maker, 'create_api_token', made);
    await people.data(rotator, 'rotate_api_token', { tokenId: token.id, overlapHours: 0 });
    const caller = { ...maker.caller, actor: { kind: 'TOKEN' as const, id: token.id } };
    const { tags } = await people.data<{ tags: { name: string }[] }>(maker, 'list_tags', {});
    const approvalId = await people.askFor({ ...maker, id: token.id, caller }, 'delete_tag', { name: tags[0]!.name });
    const { approval } = await people.data<{ approval: { contentHash: string } }>(other, 'get_approval', {
      approvalId,
    });
    const input = { approvalId, approved: true, seen: approval.contentHash };
    await people.harness.dataSource('domain').query(`update organization set approvals = 'ALL'`);
    for (const own of [maker, rotator])
      expect(await people.refusal(own, 'decide_approval', input)).toBe('APPROVAL_OWN');
    expect(await people.as(other, 'decide_approval', input)).toMatchObject({ ok: true });
    await people.harness.dataSource('domain').query(`update organization set approvals = 'AGENTS'`);
  });

  it('lets no approver decide beyond their own rights: ROLE_TOO_LOW', async () => {
    const approver = await people.member('approver');
    const approvalId = await people.ask(await people.member('editor'), 'x', 'remove_member');
    expect(await people.refusal(approver, 'decide_approval', { approvalId, approved: false })).toBe('ROLE_TOO_LOW');
  });

  it('decides nothing after the end, nor for another organization: APPROVAL_NOT_FOUND', async () => {
    const { approvalId, seen } = await asked('late');
    expect(
      await people.refusal(people.stranger, 'decide_approval', { approvalId, approved: true, seen }, people.theirs),
    ).toBe('APPROVAL_NOT_FOUND');
    await people.expire(approvalId);
    expect(await people.refusal(people.owner, 'decide_approval', { approvalId, approved: true, seen })).toBe(
      'APPROVAL_DECIDED',
    );
    expect(await tagNames()).toContain('late');
  });
});
