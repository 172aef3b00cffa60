import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { CampaignFixture, doc, paragraph, shownTo, unsubscribeFooter } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Answer {
  results: { email: string; status: string; messageId: string | null; error?: string }[];
  renderedFor: { email: string } | null;
}

describe('send_test_email', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(1, 'vip');
    await fixture.people(1, 'crew');
  });

  const send = async (campaignId: string, emails: string[]) =>
    (await fixture.harness.data<Answer>('send_test_email', { campaignId, emails }, fixture.tenant)).results;
  const refusal = (campaignId: string, emails: string[]) =>
    fixture.harness.refusal('send_test_email', { campaignId, emails }, fixture.tenant);
  /** A queued message with what it says. */
  const message = async (messageId: string) => {
    const [row] = await fixture.harness
      .dataSource('delivery')
      .query<{ kind: string; subject: string; subscriber_id: null; send_id: null; simulated: boolean; raw: Buffer }[]>(
        `select m.kind, m.subject, m.subscriber_id, m.send_id, m.simulated, c.raw
         from message m join message_content c using (period, organization_id, message_id) where m.message_id = $1`,
        [uuidOf('msg', messageId)],
      );
    return { ...row!, raw: row!.raw.toString() };
  };

  const content = doc(
    paragraph('Dear {{firstName | "reader"}} at {{email}} in {{City}}'),
    paragraph('Only for the few', shownTo('vip')),
    paragraph('Only for the crew', shownTo('crew')),
    unsubscribeFooter,
  );

  it('queues a copy for each address, marked as a test, as the newest subscriber gets it, counted nowhere', async () => {
    const { id } = await fixture.draft({ subject: 'Spring', content, replyTo: 'desk@acme.example' });
    const emails = ['ada@example.com', 'bob@example.org'];
    const { results, renderedFor } = await fixture.harness.data<Answer>(
      ...['send_test_email' as const, { campaignId: id, emails }, fixture.tenant],
    );
    expect(results.map(({ email, status }) => `${email} ${status}`)).toEqual([
      'ada@example.com QUEUED',
      'bob@example.org QUEUED',
    ]);
    expect(renderedFor).toEqual({ id: expect.stringMatching(/^sub_/), email: 'crew-0@example.com' });
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
    expect(raw).toContain('Dear Person at crew-0@example.com in ');
    expect(raw).not.toContain('[City]');
    expect(raw).toContain('Only for the crew');
    expect(raw).not.toContain('Only for the few');
    expect((await fixture.get(id)).status).toBe('DRAFT');
    expect(await fixture.harness.data('get_campaign_analytics', { campaignId: id }, fixture.tenant)).toMatchObject({
      sent: 0,
    });
  });

  it('shows it as one of those whom the campaign is for', async () => {
    const copyFor = async (filters: object[]) => {
      const { id: campaignId } = await fixture.draft({ content });
      await fixture.harness.data('update_campaign_filters', { campaignId, filters }, fixture.tenant);
      return (await message((await send(campaignId, ['ada@example.com']))[0]!.messageId!)).raw;
    };
    const forTheFew = await copyFor(shownTo('vip').showIf);
    expect(forTheFew).toContain('at vip-0@example.com');
    expect(forTheFew).toContain('Only for the few');
    const nobody = { type: 'STRING', field: 'email', operator: 'EQUALS', value: 'nobody@example.com' };
    expect(await copyFor([nobody])).toContain('at crew-0@example.com');
  });

  it('shows every block and fallback where there is no subscriber', async () => {
    const empty = await fixture.found('Empty');
    for (const name of ['vip', 'crew']) await fixture.harness.data('create_tag', { name }, empty);
    const { id } = await fixture.draft({ content }, empty);
    const { results, renderedFor } = await fixture.harness.data<Answer>(
      ...['send_test_email' as const, { campaignId: id, emails: ['bob@example.org'] }, empty],
    );
    expect(renderedFor).toBeNull();
    const { raw } = await message(results[0]!.messageId!);
    expect(raw).toContain('Dear reader at bob@example.org in [City]');
    expect(raw).toContain('Only for the few');
    expect(raw).toContain('Only for the crew');
  });

  it('refuses what the sending would fail by: FILTER_TARGET_GONE and SNIPPET_NOT_FOUND', async () => {
    await fixture.people(1, 'passing');
    const { id } = await fixture.draft({ content: doc(paragraph('x', shownTo('passing')), unsubscribeFooter) });
    await fixture.dropTag('passing');
    expect(await refusal(id, ['ada@example.com'])).toBe('FILTER_TARGET_GONE');
    const snippetId = await fixture.snippet('Bye', doc(paragraph('Bye')));
    const { id: other } = await fixture.draft({ content: doc({ type: 'snippet', attrs: { snippetId } }) });
    await fixture.dropSnippet(snippetId);
    expect(await refusal(other, ['ada@example.com'])).toBe('SNIPPET_NOT_FOUND');
  });

  it('sends one copy to an address given twice, in any case', async () => {
    const { id } = await fixture.draft();
    expect(await send(id, ['ada@example.com', 'ADA@Example.com'])).toHaveLength(1);
  });

  it('sends from a campaign in any state', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('archive_campaign', { campaignId: id }, fixture.tenant);
    expect(await send(id, ['ada@example.com'])).toMatchObject([{ status: 'QUEUED' }]);
  });

  it('answers REFUSED for a mailbox over the recipient guard, RECIPIENT_GUARD_REACHED when that is all of them', async () => {
    const { id } = await fixture.draft();
    for (let n = 0; n < 5; n++) await send(id, ['ada@mailbox.internal']);
    const results = await send(id, ['ADA@mailbox.internal', 'bob@mailbox.internal', 'eve@example.com']);
    expect(results.map(({ status }) => status)).toEqual(['REFUSED', 'QUEUED', 'QUEUED']);
    expect(results[0]).toMatchObject({ messageId: null, error: expect.stringContaining('10 minutes') });
    const outcome = await fixture.harness.call(
      'send_test_email',
      { campaignId: id, emails: ['ada@mailbox.internal'] },
      fixture.tenant,
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: 'RECIPIENT_GUARD',
        reason: 'RECIPIENT_GUARD_REACHED',
        retryAfter: expect.any(Number),
        retryAt: expect.stringMatching(/Z$/),
      },
    });
    const otherTenant = await fixture.draft({}, fixture.otherTenant);
    const other = { campaignId: otherTenant.id, emails: ['ada@mailbox.internal'] };
    await fixture.harness.data('send_test_email', other, fixture.otherTenant);
  });

  it('refuses no address, six addresses and an invalid address with PARAMETERS_INVALID', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id, [])).toBe('PARAMETERS_INVALID');
    expect(await refusal(id, Array(6).fill('ada@example.com') as string[])).toBe('PARAMETERS_INVALID');
    const outcome = await fixture.harness.call(
      'send_test_email',
      { campaignId: id, emails: ['ada@example.com', 'not an address'] },
      fixture.tenant,
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: { reason: 'PARAMETERS_INVALID', issues: [{ path: ['emails', 1] }] },
    });
  });

  it('refuses without a sender: SENDER_MISSING, and from a domain that is not verified: SENDER_DOMAIN_UNVERIFIED', async () => {
    const bare = await fixture.draft();
    await fixture.age(bare.id, 'sender_id = null');
    expect(await refusal(bare.id, ['ada@example.com'])).toBe('SENDER_MISSING');
    const other = await fixture.found('Unverified');
    const { id } = await fixture.draft({}, other);
    await fixture.harness
      .dataSource('domain')
      .query(`update sending_domain set status = 'PENDING' where organization_id = $1`, [
        uuidOf('org', other.organizationId),
      ]);
    const input = { campaignId: id, emails: ['ada@example.com'] };
    expect(await fixture.harness.refusal('send_test_email', input, other)).toBe('SENDER_DOMAIN_UNVERIFIED');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    for (const id of [foreign.id, newId('cmp')])
      expect(await refusal(id, ['a@example.com'])).toBe('CAMPAIGN_NOT_FOUND');
  });
});
