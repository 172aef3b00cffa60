import { beforeAll, describe, expect, it } from '@jest/globals';
import { PeopleFixture } from '../../apps/domain/test/people-fixture.js';
import type { TestMember } from '../../apps/domain/test/people-fixture.js';
import { byHand, day, graph, mail, waiting, WorkflowFixture } from '../../apps/workflow/test/workflow-fixture.js';
import { useFixture } from '../harness/use-fixture.js';

interface Approval {
  id: string;
  state: string;
  message: string;
  contentHash: string;
  facts: { label: string; value: string }[];
  preview: { subject: string; html: string; text: string; renderedFor: string | null } | null;
  diff: { path: string; before: unknown; after: unknown }[];
}

describe('a workflow that a person approves', () => {
  const fixture = useFixture(() => WorkflowFixture.open());
  const people = new PeopleFixture();
  let editor: TestMember;
  beforeAll(async () => {
    await people.openOn(fixture.harness, fixture.tenant, fixture.otherTenant);
    editor = await people.member('editor');
    await fixture.subscriber('sample@example.com', { name: 'Sam Sample' });
  });

  const get = async (approvalId: string) =>
    (await people.data<{ approval: Approval }>(people.owner, 'get_approval', { approvalId })).approval;
  const decide = async (approvalId: string, seen: string) =>
    await people.as(people.owner, 'decide_approval', { approvalId, approved: true, seen });
  const draft = async (configuration: Parameters<typeof fixture.configure>[1] = waiting(mail('m', 'First'))) => {
    const { id } = await fixture.create();
    await fixture.configure(id, configuration);
    return id;
  };
  /** Changes the email of a step, as its author does. */
  const rewrite = async (workflowId: string, change: object) => {
    const found = (await fixture.get(workflowId)).draft.steps.find(({ type }) => type === 'EMAIL')!;
    const { campaignId: id } = found.config as { campaignId: string };
    await people.data(editor, 'edit_campaign', { id, ...change });
  };

  it.each([
    ['graph', (id) => fixture.configure(id, graph([byHand, mail('m', 'First'), day('after')]))],
    [
      'settings',
      (id) => fixture.configure(id, { ...waiting(mail('m', 'First')), settings: { timezone: 'Asia/Tokyo' } }),
    ],
    [
      'goals',
      (id) =>
        fixture.configure(id, {
          ...waiting(mail('m', 'First')),
          successGoals: [{ name: 'Bought', event: { kind: 'EVENT', eventType: 'subscriber_payment' } }],
        }),
    ],
    ['subject of an email', (id) => rewrite(id, { subject: 'Later' })],
    ['text of an email', (id) => rewrite(id, { content: '# Another\n\nText' })],
  ] as [string, (id: string) => Promise<unknown>][])(
    'is shown again, and not published, when its %s changed since it was seen: APPROVAL_CHANGED',
    async (_what, change) => {
      const workflowId = await draft();
      const approvalId = await people.askFor(editor, 'publish_workflow', { workflowId });
      const before = await get(approvalId);
      await change(workflowId);
      expect(await decide(approvalId, before.contentHash)).toMatchObject({ error: { reason: 'APPROVAL_CHANGED' } });
      const after = await get(approvalId);
      expect(after.state).toBe('PENDING');
      expect(after.contentHash).not.toBe(before.contentHash);
      expect((await fixture.get(workflowId)).status).toBe('DRAFT');
      expect(await decide(approvalId, after.contentHash)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
      expect(await fixture.get(workflowId)).toMatchObject({ status: 'ACTIVE', published: { version: 1 } });
    },
  );

  it('shows its first email as a sample recipient gets it, and what becomes of it', async () => {
    const approvalId = await people.askFor(editor, 'publish_workflow', { workflowId: await draft() });
    expect(await get(approvalId)).toMatchObject({
      preview: {
        subject: 'First',
        html: expect.stringContaining('Sam Sample'),
        text: expect.stringContaining('Dear Sam Sample'),
        renderedFor: 'sample@example.com',
      },
      facts: expect.arrayContaining([
        { label: 'Version', value: '1' },
        { label: 'Status', value: 'ACTIVE' },
        { label: 'Open runs', value: '0' },
        { label: 'Email', value: expect.stringMatching(/^First \(from .+@.+\)$/) },
      ]),
      diff: [],
    });
  });

  it('shows what differs from the published version: the graph, and the lines of its emails', async () => {
    const workflowId = await draft();
    await fixture.publish(workflowId);
    const { steps } = (await fixture.get(workflowId)).draft;
    await fixture.configure(workflowId, graph([...(steps as never[]), day('after')]));
    await rewrite(workflowId, { subject: 'Second', content: '# First\n\nGood day {{name}}' });
    const { diff, facts, preview } = await get(await people.askFor(editor, 'publish_workflow', { workflowId }));
    expect(facts).toContainEqual({ label: 'Version', value: '2' });
    expect(preview).toMatchObject({ subject: 'Second', text: expect.stringContaining('Good day Sam Sample') });
    expect(diff).toContainEqual({
      path: 'difference',
      before: null,
      after: expect.objectContaining({ stepsAdded: ['after'], stepsRemoved: [], edges: true, settings: false }),
    });
    expect(diff).toContainEqual({ path: 'm.subject', before: 'First', after: 'Second' });
    expect(diff).toContainEqual({
      path: expect.stringMatching(/^m\.text:\d+$/),
      before: 'Dear Sam Sample',
      after: 'Good day Sam Sample',
    });
  });

  describe('decided ten times at once', () => {
    /** @returns the result of the one decision that counted */
    const decideTenTimes = async (approvalId: string) => {
      const { contentHash } = await get(approvalId);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => decide(approvalId, contentHash)));
      const refusals = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.reason]));
      expect(refusals).toEqual(Array(9).fill('APPROVAL_DECIDED'));
      expect(outcomes.find(({ ok }) => ok)).toMatchObject({ data: { approval: { state: 'EXECUTED' } } });
      return (await get(approvalId)) as Approval & { result: Record<string, unknown> };
    };

    it('enrols the matching subscribers once', async () => {
      const workflowId = await fixture.live(waiting());
      const ids = [await fixture.subscriber('once@example.com'), await fixture.subscriber('too@example.com')];
      const asked = { workflowId, subscriberIds: ids };
      const { result } = await decideTenTimes(await people.askFor(editor, 'add_subscribers_to_workflow', asked));
      expect(result).toMatchObject({ matched: 2, enrolled: 2, skipped: [] });
      const { total } = await fixture.harness.data<{ total: number }>(
        'list_workflow_runs',
        { workflowId },
        fixture.tenant,
      );
      expect(total).toBe(2);
    });

    it('restores an earlier text of a scheduled campaign once', async () => {
      const content = 'Hello\n\n[Leave]({{unsubscribeUrl}})';
      const made = { subject: 'Former', content, contentType: 'MARKDOWN' };
      const { campaignId } = await people.data<{ campaignId: string }>(editor, 'create_campaign', made);
      await people.data(editor, 'edit_campaign', { id: campaignId, subject: 'Later' });
      await people.data(people.owner, 'schedule_campaign', { campaignId, date: '2037-05-01' });
      const history = async () =>
        (
          await people.data<{ entries: { id: string; subject: string }[] }>(editor, 'list_campaign_history', {
            campaignId,
          })
        ).entries;
      const before = await history();
      const historyId = before.find(({ subject }) => subject === 'Former')!.id;
      const asked = { campaignId, historyId };
      await decideTenTimes(await people.askFor(editor, 'restore_campaign_history', asked));
      expect(await history()).toHaveLength(before.length + 1);
      expect(await people.data(editor, 'get_campaign', { campaignId })).toMatchObject({
        campaign: { subject: 'Former', status: 'SCHEDULED' },
      });
    });
  });
});
