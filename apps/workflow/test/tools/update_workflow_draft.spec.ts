import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { graph, mail, onSubscribing, step } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, issuesOf } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('update_workflow_draft', () => {
  const update = async (workflowId: string, definition: object) => {
    const { updatedAt: expectedUpdatedAt } = await fixture.get(workflowId);
    const input = { workflowId, expectedUpdatedAt, definition };
    return await fixture.harness.data<Awaited<ReturnType<WorkflowFixture['configure']>>>(
      'update_workflow_draft',
      input,
      fixture.tenant,
    );
  };
  const campaign = async (tenant = fixture.tenant) => {
    const input = { subject: 'A campaign', content: 'Hello', contentType: 'MARKDOWN' };
    return (await fixture.harness.data<{ campaignId: string }>('create_campaign', input, tenant)).campaignId;
  };

  it('keeps an email of its own, and copies another workflow’s and a campaign', async () => {
    const [own, other] = [await fixture.create(), await fixture.create()];
    const mine = (await fixture.configure(own.id, graph([onSubscribing, mail('a', 'Mine')]))).configuredEmails[0]!
      .campaignId;
    const others = (await fixture.configure(other.id, graph([onSubscribing, mail('b', 'Theirs')]))).configuredEmails[0]!
      .campaignId;
    const broadcast = await campaign();
    const emails = [mine, others, broadcast, mine].map((campaignId, n) => step(`m${n}`, 'EMAIL', { campaignId }));
    const { configuredEmails, workflow } = await update(own.id, graph([onSubscribing, ...emails]));
    const ids = configuredEmails.map(({ campaignId }) => campaignId);
    expect(ids[0]).toBe(mine);
    expect(new Set([...ids, others, broadcast]).size).toBe(6);
    expect(workflow.emails.map(({ subject }) => subject)).toEqual(['Mine', 'Theirs', 'A campaign', 'Mine']);
    expect((await fixture.get(other.id)).emails).toMatchObject([{ campaignId: others }]);
  });

  it('accepts what get_workflow returns', async () => {
    const { id } = await fixture.create();
    const { workflow } = await fixture.configure(
      id,
      graph([onSubscribing, step('w', 'WAIT', { timeOfDay: '09:00' }), mail('m')]),
    );
    const again = await update(id, {
      ...workflow.draft,
      settings: workflow.settings,
      successGoals: workflow.successGoals,
    });
    expect({ ...again.workflow, updatedAt: null }).toEqual({ ...workflow, updatedAt: null });
  });

  it('refuses with GRAPH_INVALID under its own parameter, a stale token with EXPECTED_UPDATED_AT_STALE', async () => {
    const { id, updatedAt } = await fixture.create();
    const lonely = graph([onSubscribing, mail('m'), step('lonely', 'EXIT')], 'start>m');
    const input = { workflowId: id, expectedUpdatedAt: updatedAt, definition: lonely };
    expect(await issuesOf(fixture, 'update_workflow_draft', input)).toEqual([
      'definition.steps.2 step "lonely" (EXIT): unreachable: no way leads here',
    ]);
    const stale = { ...input, expectedUpdatedAt: '2020-01-01T00:00:00.000Z' };
    expect(await fixture.refusal('update_workflow_draft', stale)).toBe('EXPECTED_UPDATED_AT_STALE');
    expect(await fixture.refusal('update_workflow_draft', { ...input, workflowId: newId('wf') })).toBe(
      'WORKFLOW_NOT_FOUND',
    );
    const unsent = graph([onSubscribing, step('m', 'EMAIL', { campaignId: await campaign(), senderId: newId('snd') })]);
    expect(await issuesOf(fixture, 'update_workflow_draft', { ...input, definition: unsent })).toEqual([
      expect.stringContaining('definition.steps.1.config.senderId step "m" (EMAIL): no sender of this organization is'),
    ]);
    const otherTenant = graph([onSubscribing, step('m', 'EMAIL', { campaignId: await campaign(fixture.otherTenant) })]);
    expect(await issuesOf(fixture, 'update_workflow_draft', { ...input, definition: otherTenant })).toEqual([
      expect.stringContaining('definition.steps.1.config.campaignId step "m" (EMAIL): no campaign or workflow email'),
    ]);
  });
});
