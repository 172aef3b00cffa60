import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import { createLogger } from '#observability';
import { testLogLevel } from '#testing';
import type { Outcome } from '#tool-call';
import { busWith, CampaignFixture } from '../../apps/campaign/test/campaign-fixture.js';
import { BacklogRepository } from '../../apps/campaign/src/metrics/backlog.repository.js';
import { releaseAudiences } from '../../apps/campaign/src/send/audience-release.job.js';
import { askAgainForHeld } from '../../apps/campaign/src/send/held-campaign.job.js';
import { SendRepository } from '../../apps/campaign/src/send/send.repository.js';
import { PeopleFixture } from '../../apps/domain/test/people-fixture.js';
import type { TestMember } from '../../apps/domain/test/people-fixture.js';

interface Approval {
  id: string;
  state: string;
  message: string;
  contentHash: string;
  facts: { label: string; value: string }[];
  preview: { subject: string; html: string; text: string; renderedFor: string } | null;
  diff: { path: string; before: unknown; after: unknown }[];
}

const log = createLogger('campaign', testLogLevel);

describe('a send that a person approves', () => {
  let fixture: CampaignFixture;
  const people = new PeopleFixture();
  let editor: TestMember;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
    await people.openOn(fixture.harness, fixture.tenant, fixture.otherTenant);
    editor = await people.member('editor');
    await fixture.people(3, 'reader');
  });
  afterAll(() => fixture.close());

  const date = '2037-05-01';
  let count = 0;
  /** A campaign of a snippet, for a segment of readers. */
  async function campaign(tag = 'reader') {
    const name = `closing ${(count += 1)}`;
    const content = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'As ever' }] }] };
    const { snippet } = await people.data<{ snippet: { id: string } }>(editor, 'create_email_snippet', {
      name,
      content,
    });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }];
    const { segmentId } = await people.data<{ segmentId: string }>(editor, 'create_segment', { name, filters });
    const text = `Hello {{name | "you"}}\n\n{{snippet:${name}}}\n\n[Leave]({{unsubscribeUrl}})`;
    const made = { name, subject: 'Spring', content: text, contentType: 'MARKDOWN' };
    const { campaignId } = await people.data<{ campaignId: string }>(editor, 'create_campaign', made);
    const include = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId }];
    await people.data(editor, 'update_campaign_filters', { campaignId, filters: include });
    return { campaignId, segmentId, snippetId: snippet.id, name };
  }
  const rewrite = (snippetId: string, text: string) => {
    const content = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] };
    return people.data(editor, 'update_email_snippet', { id: snippetId, content });
  };
  const get = async (approvalId: string) =>
    (await people.data<{ approval: Approval }>(people.owner, 'get_approval', { approvalId })).approval;
  const decide = async (approvalId: string, seen: string) =>
    await people.as(people.owner, 'decide_approval', { approvalId, approved: true, seen });
  /** Asks and approves. @returns the id of the approval */
  async function approved(campaignId: string, when: object = { date }): Promise<string> {
    const approvalId = await people.askFor(editor, 'schedule_campaign', { campaignId, ...when });
    const { contentHash } = await get(approvalId);
    expect(await decide(approvalId, contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
    return approvalId;
  }
  const due = (campaignId: string) => fixture.age(campaignId, 'scheduled_at = clock_timestamp()');
  const jobs = () => ({
    sends: new SendRepository(fixture.harness.dataSource('campaign').manager),
    bus: fixture.harness.bus,
    log,
  });
  const askAgain = async () => void (await askAgainForHeld(jobs()).run());
  const release = async () => void (await releaseAudiences(jobs()).run());
  /** Starts the due campaigns; calls of a name are answered by `instead`, or made after it when it answers nothing. */
  const startWith = async (name: string, instead: () => Promise<Outcome | undefined>) => {
    const bus = busWith(fixture.harness.bus, async (ask, _number, ...question) =>
      question[1].name === name ? ((await instead()) ?? (await ask(...question))) : await ask(...question),
    );
    const starter = fixture.starter({ bus });
    await starter.take();
    await starter.settled();
  };
  const unavailable = (): Promise<Outcome> =>
    Promise.resolve({ ok: false, error: { code: 'UNAVAILABLE', message: 'The service does not answer.' } });
  /** A tag of some readers. */
  const readers = async (size: number) => {
    const tag = `readers-${(count += 1)}`;
    await fixture.people(size, tag);
    return tag;
  };
  const waiting = async () =>
    (
      await people.data<{ approvals: { id: string; subject: { id: string } | null; asker: { id: string } }[] }>(
        people.owner,
        'list_approvals',
        { states: ['PENDING'], limit: 100 },
      )
    ).approvals;
  const waitingFor = async (campaignId: string) =>
    (await waiting()).filter(({ subject }) => subject?.id === campaignId);

  it('shows the mail as a sample recipient gets it, the sender, the time and the audience', async () => {
    const { campaignId, name } = await campaign();
    const approvalId = await people.askFor(editor, 'schedule_campaign', { campaignId, date });
    expect(await get(approvalId)).toMatchObject({
      state: 'PENDING',
      preview: {
        subject: 'Spring',
        html: expect.stringContaining('As ever'),
        text: expect.stringMatching(/Hello Person \d[^]*As ever/),
        renderedFor: expect.stringMatching(/^reader-/),
      },
      facts: expect.arrayContaining([
        { label: 'Subscribers', value: '3' },
        { label: 'Time', value: '2037-05-01 at 00:00 (Europe/Paris)' },
        { label: 'Segment', value: expect.stringContaining(`${name}: [{"type":"TAG"`) },
      ]),
    });
    const viewer = await people.member('viewer');
    expect(await people.data(viewer, 'get_approval', { approvalId })).toMatchObject({
      approval: { preview: null, facts: [], diff: [], parameters: null },
    });
  });

  it.each([
    ['its text', ({ campaignId }) => people.data(editor, 'edit_campaign', { id: campaignId, subject: 'Summer' })],
    ['its preview text', ({ campaignId }) => people.data(editor, 'edit_campaign', { id: campaignId, preview: 'Soon' })],
    [
      'the reply address',
      ({ campaignId }) => people.data(editor, 'edit_campaign', { id: campaignId, replyTo: 'other@acme.example' }),
    ],
    ['a snippet in it', ({ snippetId }) => rewrite(snippetId, 'Another closing')],
    [
      'the segment that it goes to',
      ({ segmentId }) =>
        people.data(editor, 'update_segment', {
          segmentId,
          filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_NONE', tagNames: ['reader'] }],
        }),
    ],
    [
      'the name of its sender',
      async ({ campaignId }) => {
        const { senderId } = await fixture.get(campaignId);
        await people.data(editor, 'update_email_sender', { senderId, displayName: `Sender ${(count += 1)}` });
      },
    ],
  ] as [string, (made: Awaited<ReturnType<typeof campaign>>) => Promise<unknown>][])(
    'is shown again, and not sent, when %s changed since it was seen: APPROVAL_CHANGED',
    async (_what, change) => {
      const made = await campaign();
      const approvalId = await people.askFor(editor, 'schedule_campaign', { campaignId: made.campaignId, date });
      const before = await get(approvalId);
      await change(made);
      expect(await decide(approvalId, before.contentHash)).toMatchObject({ error: { reason: 'APPROVAL_CHANGED' } });
      const after = await get(approvalId);
      expect(after.state).toBe('PENDING');
      expect(after.contentHash).not.toBe(before.contentHash);
      expect(after.diff).not.toEqual([]);
      expect((await fixture.get(made.campaignId)).status).toBe('DRAFT');
      expect(await decide(approvalId, after.contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
      expect((await fixture.get(made.campaignId)).status).toBe('SCHEDULED');
    },
  );

  it('is approved as it was seen when only the name of the campaign changed', async () => {
    const { campaignId } = await campaign();
    const approvalId = await people.askFor(editor, 'schedule_campaign', { campaignId, date });
    const { contentHash } = await get(approvalId);
    await people.data(editor, 'edit_campaign', { id: campaignId, name: 'Another name' });
    expect(await decide(approvalId, contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
  });

  it('starts when nothing changed', async () => {
    const { campaignId } = await campaign();
    await approved(campaignId);
    await due(campaignId);
    await fixture.startDue();
    expect(await fixture.row(campaignId)).toMatchObject({ status: 'SENDING', recipient_count: 3, held_at: null });
  });

  it('is held when it changed before its start, asked for once in the name of the asker, and sent once it is approved', async () => {
    const { campaignId, snippetId } = await campaign();
    await approved(campaignId);
    await rewrite(snippetId, 'A closing that no approver saw');
    await due(campaignId);
    await fixture.startDue();
    expect(await fixture.row(campaignId)).toMatchObject({ status: 'SCHEDULED', send_id: null, audience_id: null });
    expect(await people.data(editor, 'get_campaign_progress', { campaignId })).toMatchObject({
      status: 'SCHEDULED',
      waitingFor: 'CHANGED_SINCE_APPROVED',
    });
    await askAgain();
    await askAgain();
    const [asked, ...more] = await waitingFor(campaignId);
    expect(more).toEqual([]);
    expect(asked!.asker.id).toBe(editor.id);
    const shown = await get(asked!.id);
    expect(shown.diff).toContainEqual({
      path: expect.stringMatching(/^text:\d+$/),
      before: 'As ever',
      after: 'A closing that no approver saw',
    });
    await fixture.startDue();
    expect((await fixture.row(campaignId)).status).toBe('SCHEDULED');
    expect(await decide(asked!.id, shown.contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
    // It can be undone for some seconds first.
    await fixture.startDue();
    expect(await fixture.row(campaignId)).toMatchObject({ status: 'SCHEDULED', waiting_for: null });
    await due(campaignId);
    await fixture.startDue();
    expect(await fixture.row(campaignId)).toMatchObject({ status: 'SENDING', waiting_for: null, recipient_count: 3 });
  });

  it('is asked for once when the process that asked ended before it recorded that', async () => {
    const { campaignId, snippetId } = await campaign();
    await approved(campaignId);
    await rewrite(snippetId, 'Changed');
    await due(campaignId);
    await fixture.startDue();
    await askAgain();
    // As if the record of the question had never been written.
    await fixture.age(campaignId, 'asked_again_at = null, lease_until = null');
    await askAgain();
    expect(await waitingFor(campaignId)).toHaveLength(1);
    expect((await fixture.row(campaignId)).asked_again_at).not.toBeNull();
  });

  it('is tried again when the domain service does not answer, and fails after a day without an approval', async () => {
    const { campaignId, snippetId } = await campaign();
    await approved(campaignId);
    await rewrite(snippetId, 'Changed');
    await due(campaignId);
    await fixture.startDue();
    await fixture.harness.bus.without('domain', askAgain);
    expect((await fixture.row(campaignId)).asked_again_at).toBeNull();
    await fixture.age(campaignId, 'lease_until = null');
    await askAgain();
    const [asked] = await waitingFor(campaignId);
    await fixture.age(campaignId, `held_at = held_at - interval '24 hours'`);
    await askAgain();
    expect(await fixture.row(campaignId)).toMatchObject({
      status: 'FAILED',
      failure:
        'Nothing was sent: the campaign or its audience changed after approval and was not approved again within 24 hours.',
    });
    const late = await decide(asked!.id, (await get(asked!.id)).contentHash);
    expect(late).toMatchObject({ data: { approval: { state: 'FAILED' }, result: { reason: 'CAMPAIGN_NOT_DRAFT' } } });
  });

  it('can be taken back to a draft while it is held', async () => {
    const { campaignId, snippetId } = await campaign();
    await approved(campaignId);
    await rewrite(snippetId, 'Changed');
    await due(campaignId);
    await fixture.startDue();
    await askAgain();
    const [asked] = await waitingFor(campaignId);
    const { contentHash } = await get(asked!.id);
    await people.data(editor, 'cancel_campaign_schedule', { campaignId });
    // The approver saw a campaign that was held, and not a draft.
    expect(await decide(asked!.id, contentHash)).toMatchObject({ error: { reason: 'APPROVAL_CHANGED' } });
    expect(await fixture.row(campaignId)).toMatchObject({
      status: 'DRAFT',
      held_at: null,
      waiting_for: null,
      approval_id: null,
    });
  });

  it('is held when more match than the approver saw, though they did when the approval was carried out', async () => {
    const tag = await readers(3);
    const { campaignId } = await campaign(tag);
    const approvalId = await people.askFor(editor, 'schedule_campaign', { campaignId, date });
    const seen = await get(approvalId);
    await fixture.people(103, tag);
    expect(await decide(approvalId, seen.contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
    expect(await get(approvalId)).toMatchObject({ facts: seen.facts, message: seen.message });
    expect((await fixture.row(campaignId)).approved_count).toBe(3);
    await due(campaignId);
    await fixture.startDue();
    expect((await fixture.row(campaignId)).status).toBe('SCHEDULED');
  });

  it('is held when its segment was saved while the audience was frozen', async () => {
    const { campaignId, segmentId } = await campaign();
    await approved(campaignId);
    await due(campaignId);
    await startWith('freeze_audience', async () => {
      const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_NONE', tagNames: ['no such'] }];
      await people.data(people.owner, 'get_or_create_tags', { names: ['no such'] });
      await people.data(editor, 'update_segment', { segmentId, filters });
      return undefined;
    });
    expect(await fixture.row(campaignId)).toMatchObject({ status: 'SCHEDULED', waiting_for: 'CHANGED_SINCE_APPROVED' });
  });

  it('starts with the audience of its first attempt, however many match at the next', async () => {
    const tag = await readers(3);
    const { campaignId } = await campaign(tag);
    await approved(campaignId);
    await due(campaignId);
    await startWith('start_send', unavailable);
    await fixture.people(103, tag);
    await fixture.age(campaignId, 'lease_until = clock_timestamp()');
    await fixture.startDue();
    expect(await fixture.row(campaignId)).toMatchObject({ status: 'SENDING', recipient_count: 3 });
  });

  it('gives its audience back once, also when the process that held it ended before, and starts only then', async () => {
    const { campaignId, snippetId } = await campaign();
    await approved(campaignId);
    await rewrite(snippetId, 'Changed');
    await due(campaignId);
    await startWith('release_audience', unavailable);
    const { audience_id: audienceId, status } = await fixture.row(campaignId);
    expect([status, audienceId]).toEqual(['SCHEDULED', expect.any(String)]);
    await people.data(people.owner, 'schedule_campaign', { campaignId });
    await due(campaignId);
    await fixture.startDue();
    expect(await fixture.row(campaignId)).toMatchObject({
      status: 'SCHEDULED',
      held_at: null,
      audience_id: audienceId,
    });
    await release();
    const pages = () =>
      fixture.harness
        .dataSource('subscriber')
        .query('select 1 from audience_page where audience_id = $1', [audienceId]);
    expect(await pages()).toEqual([]);
    await fixture.startDue();
    expect(await fixture.row(campaignId)).toMatchObject({
      status: 'SENDING',
      audience_id: expect.not.stringMatching(audienceId!),
    });
  });

  it('gives the audience of a held campaign back that became a draft', async () => {
    const { campaignId, snippetId } = await campaign();
    await approved(campaignId);
    await rewrite(snippetId, 'Changed');
    await due(campaignId);
    await startWith('release_audience', unavailable);
    await people.data(editor, 'cancel_campaign_schedule', { campaignId });
    await release();
    expect(await fixture.row(campaignId)).toMatchObject({ status: 'DRAFT', audience_id: null });
  });

  it('delays no send as the monitoring sees it while it is held', async () => {
    const { campaignId, snippetId } = await campaign();
    await approved(campaignId);
    await rewrite(snippetId, 'Changed');
    await fixture.age(campaignId, `scheduled_at = clock_timestamp() - interval '1 hour'`);
    const backlog = new BacklogRepository(fixture.harness.dataSource('campaign').manager);
    expect((await backlog.get()).latenessSeconds).toBeGreaterThan(3_599);
    await fixture.startDue();
    expect((await fixture.row(campaignId)).held_at).not.toBeNull();
    expect((await backlog.get()).latenessSeconds).toBe(0);
  });

  it('starts as approved when another release compiles the same mail differently', async () => {
    const { campaignId } = await campaign();
    await approved(campaignId);
    await due(campaignId);
    await fixture.startDue(fixture.starter({ otherRelease: true }));
    expect((await fixture.row(campaignId)).status).toBe('SENDING');
  });

  it('is held when the address of the organization in its footer changed', async () => {
    const { campaignId } = await campaign();
    await approved(campaignId);
    await people.data(people.owner, 'update_organization', { address: `Street ${(count += 1)}` });
    await due(campaignId);
    await fixture.startDue();
    expect((await fixture.row(campaignId)).status).toBe('SCHEDULED');
  });

  it('shows an approver at most a hundred facts, and how many more there are', async () => {
    const { campaignId, segmentId } = await campaign();
    const copies = Array.from({ length: 99 }, newUuid);
    await fixture.harness.dataSource('subscriber').query(
      `insert into segment select (jsonb_populate_record(s, jsonb_build_object(
         'segment_id', id, 'name', id, 'name_key', id, 'filters', $3::jsonb, 'targets', '{}'::text[]))).*
       from segment s, unnest($2::uuid[]) id where s.segment_id = $1`,
      [
        uuidOf('seg', segmentId),
        copies,
        JSON.stringify([{ type: 'SYSTEM', field: 'system', operator: 'NEVER_EMAILED' }]),
      ],
    );
    const filters = copies.map((id) => ({ type: 'SEGMENT', operator: 'INCLUDE', segmentId: wireId('seg', id) }));
    await people.data(editor, 'update_campaign_filters', { campaignId, filters });
    const { facts } = await get(await people.askFor(editor, 'schedule_campaign', { campaignId, date }));
    expect(facts).toHaveLength(100);
    expect(facts.at(-1)).toEqual({ label: 'More', value: 'and 3 more' });
  });

  it('is held when a tenth more match than were approved, from a hundred on', async () => {
    const grown = async (by: number) => {
      const tag = `crowd ${(count += 1)}`;
      await fixture.people(500, tag.replace(' ', '-'));
      const { campaignId } = await campaign(tag.replace(' ', '-'));
      await approved(campaignId);
      await fixture.age(campaignId, `approved_count = 500 - ${by}`);
      await due(campaignId);
      await fixture.startDue();
      return (await fixture.row(campaignId)).status;
    };
    expect(await grown(99)).toBe('SENDING');
    expect(await grown(100)).toBe('SCHEDULED');
  });

  describe('and into which an earlier text is restored', () => {
    /** A scheduled campaign with an earlier text. */
    async function scheduled() {
      const made = await campaign();
      const { campaignId } = made;
      const { entries } = await people.data<{ entries: { id: string }[] }>(editor, 'list_campaign_history', {
        campaignId,
      });
      const text = 'Good bye\n\n[Leave]({{unsubscribeUrl}})';
      await people.data(editor, 'edit_campaign', { id: campaignId, subject: 'Autumn', content: text });
      return { ...made, historyId: entries.at(-1)!.id };
    }
    const restore = (campaignId: string, historyId: string) =>
      people.as(editor, 'restore_campaign_history', { campaignId, historyId });
    const described = (campaignId: string, historyId: string) =>
      fixture.harness.describe('restore_campaign_history', { campaignId, historyId }, fixture.tenant);

    it('asks only while it is SCHEDULED, and is then what starts', async () => {
      const { campaignId, historyId } = await scheduled();
      expect(await described(campaignId, historyId)).toEqual({ ok: true, data: null });
      await approved(campaignId);
      expect(await restore(campaignId, historyId)).toMatchObject({ error: { reason: 'CAMPAIGN_NOT_RESTORABLE' } });
      const approvalId = await people.askFor(editor, 'restore_campaign_history', { campaignId, historyId });
      const shown = await get(approvalId);
      expect(shown.preview).toMatchObject({ subject: 'Spring', text: expect.stringContaining('As ever') });
      expect(shown.diff).toContainEqual({ path: 'subject', before: 'Autumn', after: 'Spring' });
      expect(shown.diff.some(({ path }) => path.startsWith('text:'))).toBe(true);
      expect(await decide(approvalId, shown.contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
      await due(campaignId);
      await fixture.startDue();
      expect(await fixture.row(campaignId)).toMatchObject({ status: 'SENDING', subject: 'Spring' });
    });

    it('is sent when a restore into the held campaign is approved', async () => {
      const { campaignId, historyId, name } = await scheduled();
      await approved(campaignId);
      await people.data(people.owner, 'restore_campaign_history', { campaignId, historyId });
      await fixture.age(campaignId, `scheduled_at = '2026-05-01T10:00:00Z'`);
      await fixture.startDue();
      expect((await fixture.row(campaignId)).held_at).not.toBeNull();
      const { entries } = await people.data<{ entries: { id: string; subject: string }[] }>(
        editor,
        'list_campaign_history',
        { campaignId },
      );
      const autumn = entries.find(({ subject }) => subject === 'Autumn')!.id;
      const approvalId = await people.askFor(editor, 'restore_campaign_history', { campaignId, historyId: autumn });
      const shown = await get(approvalId);
      expect(shown.message).toBe(
        `Replaces the text of '${name}', scheduled for 2026-05-01 at 12:00 (Europe/Paris), by the version with subject 'Autumn'.`,
      );
      expect(shown.facts).toContainEqual({ label: 'Subscribers', value: '3' });
      expect(await decide(approvalId, shown.contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
      await fixture.startDue();
      expect(await fixture.row(campaignId)).toMatchObject({
        status: 'SENDING',
        subject: 'Autumn',
        held_at: null,
        waiting_for: null,
      });
    });

    it('shows an approver at most 200 changes, and how many more there are', async () => {
      const { campaignId } = await campaign();
      const text = (word: string) =>
        Array.from({ length: 450 }, (_, n) => `Line ${n} ${n % 2 ? 'stays' : word}`).join('\n\n');
      for (const word of ['before', 'after'])
        await people.data(editor, 'edit_campaign', {
          id: campaignId,
          subject: word,
          content: `${text(word)}\n\n[Leave]({{unsubscribeUrl}})`,
        });
      await people.data(people.owner, 'schedule_campaign', { campaignId, date });
      const { entries } = await people.data<{ entries: { id: string; subject: string }[] }>(
        editor,
        'list_campaign_history',
        { campaignId },
      );
      const historyId = entries.find(({ subject }) => subject === 'before')!.id;
      const { diff } = await get(await people.askFor(editor, 'restore_campaign_history', { campaignId, historyId }));
      expect(diff).toHaveLength(201);
      expect(diff.at(-1)).toMatchObject({ path: 'more', after: expect.stringMatching(/^\d+ more changes$/) });
    });

    it('is held when it was restored without an approval', async () => {
      const { campaignId, historyId } = await scheduled();
      await approved(campaignId);
      await people.data(people.owner, 'restore_campaign_history', { campaignId, historyId });
      await due(campaignId);
      await fixture.startDue();
      expect(await fixture.row(campaignId)).toMatchObject({
        status: 'SCHEDULED',
        waiting_for: 'CHANGED_SINCE_APPROVED',
      });
    });
  });

  it('leaves events of what was asked and decided, without content', async () => {
    await fixture.harness.deliverEvents();
    const { campaignId } = await campaign();
    const approvalId = await approved(campaignId);
    const events = (await fixture.harness.deliverEvents()).filter(({ name }) => name.startsWith('approval.'));
    expect(events.map(({ name, data }: DomainEvent) => [name, data])).toEqual([
      ['approval.asked', expect.objectContaining({ approvalId, asker: { kind: 'USER', id: editor.id } })],
      ['approval.decided', expect.objectContaining({ approvalId, state: 'EXECUTED', decidedBy: people.owner.id })],
    ]);
  });
});
