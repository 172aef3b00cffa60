import { describe, expect, it } from '@jest/globals';
import { approvalRequests } from '#contracts';
import { newId } from '#database';
import { mailApprovers } from '../src/approval/approval-mail.job.js';
import type { ApprovalMail } from '../src/approval/approval-notice.repository.js';
import type { SystemMail } from '../src/session/system-mail.js';
import { openPeople } from './people-fixture.js';
import type { TestMember } from './people-fixture.js';

describe('approvals', () => {
  const people = openPeople();
  const query = (sql: string, parameters: unknown[] = []) =>
    people.harness.dataSource('domain').query<Record<string, unknown>[]>(sql, parameters);
  const requests = () => people.harness.client(approvalRequests);
  let count = 0;

  /** Asks for the deletion of a tag, as the gateway does. */
  async function ask(actor: TestMember | string, change: { requestHash?: string; callId?: string } = {}) {
    const { requestHash = `call ${(count += 1)}`, callId = null } = change;
    const by =
      typeof actor === 'string' ? { kind: 'TOKEN' as const, id: actor } : { kind: 'USER' as const, id: actor.id };
    const asked = { tool: 'delete_tag', parameters: { name: 'x' }, action: 'Delete the tag', message: `Deletes <x>.` };
    const call = { actor: by, requestHash, callId };
    return (await requests().ask_approval({ ...call, ...asked }, people.harness.caller(people.ours))).approval;
  }
  const find = async ({ id }: TestMember, requestHash: string, callId: string | null = null) => {
    const call = { actor: { kind: 'USER' as const, id }, requestHash, callId };
    return (await requests().find_approval(call, people.harness.caller(people.ours))).approval;
  };

  describe('that wait for a person', () => {
    it('expire after a day, or after the hours of the organization, which are 1 to 168', async () => {
      const hoursOf = async () => {
        const { askedAt, expiresAt } = await ask(await people.member('editor'));
        return (Date.parse(expiresAt) - Date.parse(askedAt)) / 3_600_000;
      };
      expect(await hoursOf()).toBeCloseTo(24, 2);
      const set = (hours: number) => query(`update organization set approval_hours = $1`, [hours]);
      for (const hours of [1, 168]) {
        await set(hours);
        expect(await hoursOf()).toBeCloseTo(hours, 2);
      }
      for (const hours of [0, 169]) await expect(set(hours)).rejects.toThrow('organization_approval_hours_check');
      await set(24);
    });

    it('are at most 20 of an asker and 100 of an organization: APPROVALS_TOO_MANY', async () => {
      await query(`update approval set state = 'EXPIRED'`);
      const refused = (actor: TestMember) =>
        ask(actor).then(
          () => 'asked',
          (error: { failure?: { reason: string; message: string } }) => error.failure,
        );
      const askers = await Promise.all(Array.from({ length: 6 }, () => people.member('editor')));
      for (const asker of askers.slice(0, 5)) for (let n = 0; n < 20; n += 1) await ask(asker);
      expect(await refused(askers[0]!)).toMatchObject({ reason: 'APPROVALS_TOO_MANY' });
      expect(await refused(askers[5]!)).toMatchObject({
        reason: 'APPROVALS_TOO_MANY',
        message: expect.stringContaining('100'),
      });
      await query(`update approval set state = 'EXPIRED'`);
    });
  });

  it('that were decided answer an equal call for five minutes, with its key for a day, and a rejected one for a day', async () => {
    const asker = await people.member('editor');
    const callId = 'key-1';
    const decided = async (requestHash: string, state: string, minutes: number) => {
      await ask(asker, { requestHash, callId });
      await query(
        `update approval set state = $2, decided_at = now() - make_interval(mins => $3) where request_hash = $1`,
        [requestHash, state, minutes],
      );
    };
    await decided('four', 'EXECUTED', 4);
    await decided('six', 'EXECUTED', 6);
    await decided('day', 'EXECUTED', 24 * 60 + 1);
    await decided('rejected', 'REJECTED', 24 * 60 - 1);
    await decided('over', 'REJECTED', 24 * 60 + 1);
    const held = async (hash: string, key: string | null = null) => (await find(asker, hash, key)) !== null;
    expect([await held('four'), await held('six'), await held('six', callId), await held('six', 'other')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([await held('day', callId), await held('rejected'), await held('over')]).toEqual([false, true, false]);
  });

  describe('are mailed to approvers', () => {
    const sent: { key: string; email: string; mail: SystemMail }[] = [];
    const run = (accept = true) => {
      const mailer = {
        send: (key: string, email: string, mail: SystemMail) => {
          sent.push({ key, email, mail });
          return Promise.resolve(accept);
        },
      };
      const { repositories } = people;
      return mailApprovers({ repositories, mailer, publicUrl: 'https://mail.example.com' }).run();
    };
    const approver = async (approvalMail: ApprovalMail): Promise<TestMember> => {
      const member = await people.member('approver');
      await people.repositories.users.update(member.id, { approvalMail });
      return member;
    };
    const mailsTo = ({ email }: TestMember) => sent.filter((one) => one.email === email);
    const start = async () => {
      await query(`update approval set state = 'EXPIRED' where state = 'PENDING'`);
      await query('delete from approval_notice');
      sent.length = 0;
    };

    it('each at once, as a digest of the hour, or never; to the asker and to editors never', async () => {
      await start();
      const [each, hourly, never] = [await approver('EACH'), await approver('HOURLY'), await approver('NEVER')];
      const editor = await people.member('editor');
      const [first, second] = [await ask(editor), await ask(each)];
      await run();
      expect(mailsTo(each)).toHaveLength(1);
      const { mail } = mailsTo(each)[0]!;
      expect(mail).toMatchObject({ subject: 'The editor asks for your approval (Ours)' });
      expect(mail.text).toContain('Deletes <x>.');
      const [{ number }] = (await query(`select number from organization where name = 'Ours'`)) as [{ number: number }];
      expect(mail.text).toContain(`https://mail.example.com/${number}/approvals/${first.id}`);
      expect(mail.html).not.toMatch(/<button|<form|approved=/);
      expect([hourly, never, editor].flatMap(mailsTo)).toEqual([]);
      await query(`update approval_notice set next_at = now()`);
      await run();
      const [digest, ...more] = mailsTo(hourly);
      expect(more).toEqual([]);
      expect(digest!.mail.subject).toBe('2 requests wait for your approval (Ours)');
      for (const { id } of [first, second]) expect(digest!.mail.text).toContain(`/approvals/${id}`);
      expect(await query('select 1 from approval_notice')).toEqual([]);
      expect(mailsTo(people.owner)).toHaveLength(2);
    });

    it('under the same key again when a process ended before it recorded that, and until they are accepted', async () => {
      await start();
      const each = await approver('EACH');
      await ask(await people.member('editor'));
      await run(false);
      await run();
      expect(mailsTo(each)).toHaveLength(1);
      await query(`update approval_notice set next_at = now()`);
      await run();
      expect(mailsTo(each).map(({ key }) => key)).toEqual(Array(2).fill(mailsTo(each)[0]!.key));
    });

    it('no more once they were decided, or the user approves no more', async () => {
      await start();
      const [each, former] = [await approver('EACH'), await approver('EACH')];
      const { id } = await ask(await people.member('editor'));
      await people.repositories.members.updateRole(people.ours.organizationId, former.id, 'editor');
      await run(false);
      expect(mailsTo(former)).toEqual([]);
      await people.data(people.owner, 'decide_approval', { approvalId: id, approved: false });
      await query(`update approval_notice set next_at = now()`);
      await run();
      expect(mailsTo(each)).toHaveLength(1);
      expect(await query('select 1 from approval_notice')).toEqual([]);
    });
  });

  it('are asked for again only for an approval of the organization', async () => {
    const asked = { approvalId: newId('apr'), tool: 'delete_tag', parameters: {}, since: new Date().toISOString() };
    await expect(requests().ask_approval_again(asked, people.harness.caller(people.ours))).rejects.toMatchObject({
      failure: { reason: 'APPROVAL_NOT_FOUND' },
    });
  });
});
