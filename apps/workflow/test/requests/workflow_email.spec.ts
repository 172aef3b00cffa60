import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTags, WorkflowFixture, graph, mail, step } from '../workflow-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

const start = step('start', 'TRIGGER', { kind: 'MANUAL' });

describe("a workflow's internal email, through the tools of campaigns", () => {
  const fixture = useFixture(() => WorkflowFixture.open());
  let workflowId = '';
  let campaignId = '';
  const call = async <D>(tool: string, input: object) => await fixture.harness.data<D>(tool, input, fixture.tenant);
  const shown = async () => (await fixture.get(workflowId)).emails[0]!;
  beforeAll(async () => {
    ({ id: workflowId } = await fixture.create('Welcome'));
    await fixture.configure(workflowId, graph([start, mail('hello'), addTags('t', 'mailed')]));
    ({ campaignId } = await shown());
  });

  it('is read, rendered, and left out of the list', async () => {
    const { campaign } = await call<{ campaign: object }>('get_campaign', { campaignId });
    expect(campaign).toMatchObject({ id: campaignId, name: 'Welcome: Hello', subject: 'Hello', status: 'DRAFT' });
    const { subject, text } = await call<{ subject: string; text: string }>('render_campaign', { campaignId });
    expect([subject, text]).toEqual(['Hello', expect.stringContaining('Dear')]);
    expect(await call('list_campaigns', {})).toMatchObject({ campaigns: [], total: 0 });
  });

  it('is edited, which changes the draft and what holds it', async () => {
    const before = await fixture.get(workflowId);
    const operations = [{ op: 'replace_text', search: 'Dear', replace: 'Good morning' }];
    const edited = await call('edit_campaign', { id: campaignId, subject: 'Welcome', operations });
    expect(edited).toMatchObject({
      campaign: { subject: 'Welcome' },
      operations: [{ op: 'replace_text', matched: 1 }],
    });
    expect(await shown()).toMatchObject({ subject: 'Welcome', content: expect.stringContaining('Good morning') });
    const stale = { workflowId, expectedUpdatedAt: before.updatedAt, definition: before.draft };
    expect(await fixture.harness.refusal('update_workflow_draft', stale, fixture.tenant)).toBe(
      'EXPECTED_UPDATED_AT_STALE',
    );
    expect(await fixture.harness.refusal('edit_campaign', { id: campaignId, name: 'Mine' }, fixture.tenant)).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('does not change the published version, and appears as a difference', async () => {
    const live = await fixture.publish(workflowId);
    expect(live.difference).toMatchObject({ stepsChanged: [] });
    await call('edit_campaign', { id: campaignId, subject: 'Later' });
    expect((await fixture.get(workflowId)).difference).toMatchObject({ stepsChanged: ['hello'], stepsAdded: [] });
    await fixture.subscriber('first@example.com');
    await fixture.enrol(workflowId, 'first@example.com');
    await fixture.run();
    expect(await fixture.mails('first@example.com')).toEqual(['Welcome']);
  });

  it('is tried out by a test copy, from the usual sender as at its step', async () => {
    const emails = ['me@example.com'];
    const { results } = await call<{ results: object[] }>('send_test_email', { campaignId, emails });
    expect(results).toMatchObject([{ email: 'me@example.com', status: 'QUEUED' }]);
    expect(
      await fixture.harness.dataSource('delivery').query(`select subject from message where email = $1`, emails),
    ).toEqual([{ subject: '[Test] Later' }]);
  });

  it('has its images fitted', async () => {
    const image = { type: 'image', attrs: { src: 'https://unreachable.invalid/a.png', alt: 'A' } };
    const content = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'x' }] }, image] };
    await call('edit_campaign', { id: campaignId, content, contentType: 'MAILY' });
    const { images } = await call<{ images: object[] }>('auto_fit_campaign_images', { campaignId });
    expect(images).toMatchObject([{ index: 0, status: 'UNREACHABLE' }]);
  });

  it('is said to be one where only campaigns are counted, with the tool that has its numbers', async () => {
    for (const [tool, input] of [
      ['get_campaign_analytics', { campaignId }],
      ['get_campaign_progress', { campaignId }],
      ['count_subscribers', { filters: [{ type: 'CAMPAIGN', field: 'campaign', operator: 'OPENED', campaignId }] }],
    ] as const) {
      expect(JSON.stringify(await fixture.harness.call(tool, input, fixture.tenant))).toContain('get_workflow');
    }
  });

  it('is said to go out with its workflow where only campaigns have a life', async () => {
    for (const [tool, input] of [
      ['schedule_campaign', { campaignId }],
      ['cancel_campaign_schedule', { campaignId }],
      ['update_campaign_filters', { campaignId, filters: [] }],
      ['archive_campaign', { campaignId }],
      ['unarchive_campaign', { campaignId }],
      ['duplicate_campaign', { campaignId }],
      ['list_campaign_history', { campaignId }],
      ['get_campaign_history_entry', { campaignId, historyId: 'x' }],
      ['restore_campaign_history', { campaignId, historyId: 'x' }],
    ] as const)
      expect({ tool, outcome: await fixture.harness.call(tool, input, fixture.tenant) }).toMatchObject({
        outcome: {
          error: {
            reason: 'CAMPAIGN_NOT_FOUND',
            message: expect.stringContaining('is an email of a workflow, which sends it'),
          },
        },
      });
  });

  it('is nothing of another organization’s', async () => {
    for (const [tool, input] of [
      ['get_campaign', { campaignId }],
      ['render_campaign', { campaignId }],
      ['edit_campaign', { id: campaignId, subject: 'Stolen' }],
      ['auto_fit_campaign_images', { campaignId }],
      ['get_campaign_analytics', { campaignId }],
      ['send_test_email', { campaignId, emails: ['me@example.com'] }],
    ] as const)
      expect(await fixture.harness.refusal(tool, input, fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
  });
});
