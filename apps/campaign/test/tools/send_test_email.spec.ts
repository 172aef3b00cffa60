import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { Desk, doc, paragraph, shownTo, unsubscribeFooter } from '../desk.js';

interface Answer {
  results: { email: string; status: string; messageId: string | null; error?: string }[];
}

describe('send_test_email', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.people(1, 'vip');
  });
  afterAll(() => desk.close());

  const send = async (campaignId: string, emails: string[]) =>
    (await desk.tidings.data<Answer>('send_test_email', { campaignId, emails }, desk.ours)).results;
  const refusal = (campaignId: string, emails: string[]) =>
    desk.tidings.refusal('send_test_email', { campaignId, emails }, desk.ours);
  /** A queued message with what it says. */
  const message = async (messageId: string) => {
    const [row] = await desk.tidings
      .dataSource('delivery')
      .query<{ kind: string; subject: string; subscriber_id: null; send_id: null; simulated: boolean; raw: Buffer }[]>(
        `select m.kind, m.subject, m.subscriber_id, m.send_id, m.simulated, c.raw
         from message m join message_content c using (period, organization_id, message_id) where m.message_id = $1`,
        [uuidOf('msg', messageId)],
      );
    return { ...row!, raw: row!.raw.toString() };
  };

  it('queues a copy for each address, marked as a test, with every block and fallback, for no subscriber', async () => {
    const content = doc(
      paragraph('Dear {{firstName | "reader"}} at {{email}} in {{City}}'),
      paragraph('Only for the few', shownTo('vip')),
      unsubscribeFooter,
    );
    const { id } = await desk.draft({ subject: 'Spring', content, replyTo: 'desk@acme.example' });
    const results = await send(id, ['ada@example.com', 'bob@example.org']);
    expect(results.map(({ email, status }) => `${email} ${status}`)).toEqual([
      'ada@example.com QUEUED',
      'bob@example.org QUEUED',
    ]);
    const { raw, ...row } = await message(results[1]!.messageId!);
    expect(row).toEqual({
      kind: 'TEST',
      subject: '[Test] Spring',
      subscriber_id: null,
      send_id: null,
      simulated: true,
    });
    expect(raw).toMatch(/^Subject: \[Test\] Spring\r$/m);
    expect(raw).toMatch(/^Reply-To: .*desk@acme\.example/m);
    expect(raw).toContain('Dear reader at bob@example.org in [City]');
    expect(raw).toContain('Only for the few');
    expect((await desk.get(id)).status).toBe('DRAFT');
    expect(await desk.tidings.data('get_campaign_analytics', { campaignId: id }, desk.ours)).toMatchObject({ sent: 0 });
  });

  it('sends one copy to an address given twice, in whatever case', async () => {
    const { id } = await desk.draft();
    expect(await send(id, ['ada@example.com', 'ADA@Example.com'])).toHaveLength(1);
  });

  it('sends from a campaign in any state', async () => {
    const { id } = await desk.draft();
    await desk.tidings.data('archive_campaign', { campaignId: id }, desk.ours);
    expect(await send(id, ['ada@example.com'])).toMatchObject([{ status: 'QUEUED' }]);
  });

  it('answers REFUSED for a mailbox over the recipient guard, RECIPIENT_GUARD_REACHED when that is all of them', async () => {
    const { id } = await desk.draft();
    for (let n = 0; n < 5; n++) await send(id, ['ada@mailbox.internal']);
    const results = await send(id, ['ADA@mailbox.internal', 'bob@mailbox.internal', 'eve@example.com']);
    expect(results.map(({ status }) => status)).toEqual(['REFUSED', 'QUEUED', 'QUEUED']);
    expect(results[0]).toMatchObject({ messageId: null, error: expect.stringContaining('10 minutes') });
    const outcome = await desk.tidings.call(
      'send_test_email',
      { campaignId: id, emails: ['ada@mailbox.internal'] },
      desk.ours,
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        ...{ code: 'RECIPIENT_GUARD', reason: 'RECIPIENT_GUARD_REACHED' },
        ...{ retryAfter: expect.any(Number), retryAt: expect.stringMatching(/Z$/) },
      },
    });
    const theirs = await desk.draft({}, desk.theirs);
    const other = { campaignId: theirs.id, emails: ['ada@mailbox.internal'] };
    await desk.tidings.data('send_test_email', other, desk.theirs);
  });

  it('refuses no address, six, and what is none with PARAMETERS_INVALID', async () => {
    const { id } = await desk.draft();
    expect(await refusal(id, [])).toBe('PARAMETERS_INVALID');
    expect(await refusal(id, Array(6).fill('ada@example.com') as string[])).toBe('PARAMETERS_INVALID');
    const outcome = await desk.tidings.call(
      'send_test_email',
      { campaignId: id, emails: ['ada@example.com', 'not an address'] },
      desk.ours,
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: { reason: 'PARAMETERS_INVALID', issues: [{ path: ['emails', 1] }] },
    });
  });

  it('refuses without a sender: SENDER_MISSING, and from a domain that is not verified: SENDER_DOMAIN_UNVERIFIED', async () => {
    const bare = await desk.draft();
    await desk.age(bare.id, 'sender_id = null');
    expect(await refusal(bare.id, ['ada@example.com'])).toBe('SENDER_MISSING');
    const other = await desk.found('Unverified');
    const { id } = await desk.draft({}, other);
    await desk.tidings
      .dataSource('domain')
      .query(`update sending_domain set status = 'PENDING' where organization_id = $1`, [
        uuidOf('org', other.organizationId),
      ]);
    const input = { campaignId: id, emails: ['ada@example.com'] };
    expect(await desk.tidings.refusal('send_test_email', input, other)).toBe('SENDER_DOMAIN_UNVERIFIED');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const foreign = await desk.draft({}, desk.theirs);
    for (const id of [foreign.id, newId('cmp')])
      expect(await refusal(id, ['a@example.com'])).toBe('CAMPAIGN_NOT_FOUND');
  });
});
