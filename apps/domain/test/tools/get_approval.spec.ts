import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('get_approval', () => {
  const people = openPeople();

  it('shows approvers and the asker the parameters, and others the sentence only', async () => {
    const [asker, viewer] = [await people.member('editor'), await people.member('viewer')];
    const approvalId = await people.ask(asker, 'doomed');
    const get = (member: typeof asker) => people.data<{ approval: object }>(member, 'get_approval', { approvalId });
    for (const member of [asker, people.owner])
      expect((await get(member)).approval).toMatchObject({
        state: 'PENDING',
        parameters: { name: 'doomed' },
        contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        asker: { kind: 'USER', id: asker.id },
      });
    expect((await get(viewer)).approval).toMatchObject({ message: 'Deletes doomed.', parameters: null });
  });

  it('says whether approving would be refused by now: the content changed, or the call is impossible', async () => {
    const asker = await people.member('editor');
    await people.data(people.owner, 'create_tag', { name: 'shrinking' });
    const approvalId = await people.askFor(asker, 'delete_tag', { name: 'shrinking' });
    const stale = async (member = people.owner) =>
      (await people.data<{ approval: { stale: boolean | null } }>(member, 'get_approval', { approvalId })).approval
        .stale;
    expect(await stale()).toBe(false);
    expect(await stale(await people.member('viewer'))).toBeNull();
    expect(await people.harness.bus.without('subscriber', () => stale())).toBeNull();
    await people.data(people.owner, 'add_subscriber', { email: 'one@example.com', tags: ['shrinking'] });
    expect(await stale()).toBe(true);
    await people.harness.call('delete_tag', { name: 'shrinking' }, people.ours);
    expect(await stale()).toBe(true);
    await people.data(people.owner, 'decide_approval', { approvalId, approved: false });
    expect(await stale()).toBeNull();
  });

  it('holds parameters that the table hides without the master key', async () => {
    const asker = await people.member('editor');
    await people.data(people.owner, 'create_tag', { name: 'very secret tag' });
    const mail = { to: 'very-secret@example.com', subject: 'Very secret subject', html: '<p>Very secret text</p>' };
    const { senders } = await people.data<{ senders: { email: string }[] }>(people.owner, 'get_email_senders', {});
    const ids = [
      await people.askFor(asker, 'delete_tag', { name: 'very secret tag' }),
      await people.askFor(asker, 'send_email', { from: senders[0]!.email, ...mail }),
    ];
    const database = people.harness.dataSource('domain');
    const rows: { row: string }[] = await database.query(
      `select a::text || encode(sealed, 'escape') || encode(sealed_text, 'escape') as row from approval a`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(rows.map(({ row }) => row).join()).not.toMatch(/very.secret/i);
    const shown = [];
    for (const approvalId of ids) shown.push(await people.data(asker, 'get_approval', { approvalId }));
    expect(shown).toMatchObject([
      { approval: { message: expect.stringContaining('very secret tag'), subject: { name: 'very secret tag' } } },
      {
        approval: {
          message: expect.stringContaining('very-secret@example.com'),
          preview: { subject: 'Very secret subject', html: '<p>Very secret text</p>' },
          facts: expect.arrayContaining([{ label: 'To', value: 'very-secret@example.com' }]),
        },
      },
    ]);
  });

  it('answers another organization with APPROVAL_NOT_FOUND', async () => {
    const approvalId = await people.ask(await people.member('editor'), 'ours');
    expect(await people.refusal(people.stranger, 'get_approval', { approvalId }, people.theirs)).toBe(
      'APPROVAL_NOT_FOUND',
    );
  });
});
