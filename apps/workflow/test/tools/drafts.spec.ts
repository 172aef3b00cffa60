import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { addTags, Desk, graph, mail, step, tagged } from '../desk.js';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk.close());

const start = step('start', 'TRIGGER', { kind: 'SUBSCRIBED' });
const refusal = (tool: string, input: object, tenant = desk.ours) => desk.tidings.refusal(tool, input, tenant);
const issues = async (tool: string, input: object) => {
  const outcome = await desk.tidings.call(tool, input, desk.ours);
  if (outcome.ok) return [];
  expect(outcome.error.reason).toBe('GRAPH_INVALID');
  return outcome.error.issues!.map(({ path, message }) => `${path.join('.')} ${message}`);
};

describe('create_workflow', () => {
  it('makes an empty DRAFT that get_workflow shows', async () => {
    const made = await desk.create('  A new one ');
    expect(made).toMatchObject({
      name: 'A new one',
      status: 'DRAFT',
      draft: { steps: [], edges: [] },
      published: null,
    });
    expect(made.settings).toMatchObject({ reentry: 'ONCE', exitOnUnsubscribe: true });
    expect(await desk.get(made.id)).toEqual(made);
  });
});

describe('list_workflows', () => {
  it('lists every state, newest first, and finds by a part of the name', async () => {
    const [first, second] = [await desk.create('Birthday 100%'), await desk.create('Birthday two')];
    const list = async (input: object) =>
      await desk.tidings.data<{ workflows: { id: string }[]; total: number }>('list_workflows', input, desk.ours);
    expect((await list({ query: 'BIRTH' })).workflows.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await list({ query: '0%' })).toMatchObject({
      workflows: [{ id: first.id, activeSubscribers: 0 }],
      total: 1,
    });
    expect((await list({ limit: 1 })).workflows).toHaveLength(1);
    expect(await desk.tidings.data('list_workflows', {}, desk.theirs)).toEqual({ workflows: [], total: 0 });
  });
});

describe('get_workflow', () => {
  it('answers WORKFLOW_NOT_FOUND for what is unknown or another organization’s', async () => {
    const { id } = await desk.create();
    expect(await refusal('get_workflow', { workflowId: id }, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal('get_workflow', { workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal('get_workflow', { workflowId: 'nonsense' })).toBe('WORKFLOW_NOT_FOUND');
  });
});

describe('configure_workflow_draft', () => {
  it('saves graph, emails, settings and goals whole, with ids in the place of names', async () => {
    const [vip] = await desk.tags('vip');
    const { id } = await desk.create();
    const draft = {
      ...graph(
        [
          start,
          step('c', 'CONDITION', { filters: [tagged('vip')] }),
          mail('m', 'Welcome'),
          addTags('t', 'vip', 'brand new'),
        ],
        ...['start>c', 'c>m:true', 'm>t'],
      ),
      settings: { reentry: 'ALWAYS', timezone: 'Europe/Paris' },
      successGoals: [{ name: 'Bought', event: { kind: 'EVENT', eventType: 'subscriber_payment' } }],
    };
    const { workflow, configuredEmails, warnings } = await desk.configure(id, draft);
    expect(configuredEmails).toEqual([{ stepId: 'm', campaignId: expect.stringMatching(/^cmp_/) }]);
    expect(workflow.emails).toMatchObject([{ stepId: 'm', subject: 'Welcome', contentType: 'MARKDOWN' }]);
    expect(workflow.draft.steps.map(({ config }) => config)).toMatchObject([
      { kind: 'SUBSCRIBED' },
      { filters: [{ tagIds: [vip] }] },
      { campaignId: configuredEmails[0]!.campaignId },
      { tags: [vip, 'brand new'] },
    ]);
    expect(workflow.draft.edges[1]).toEqual({ source: 'c', target: 'm', branch: 'TRUE' });
    expect(workflow.settings).toMatchObject({ reentry: 'ALWAYS', timezone: 'Europe/Paris', exitOnUnsubscribe: true });
    expect(workflow.successGoals).toMatchObject([
      { id: 'goal-1', name: 'Bought', event: { eventType: 'SUBSCRIBER_PAYMENT' } },
    ]);
    expect(warnings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('FALSE complete here'), expect.stringContaining('"brand new"')]),
    );
    expect(await desk.get(id)).toEqual(workflow);
  });

  it('keeps the email of a step that is written anew, and drops those of steps that are gone', async () => {
    const { id } = await desk.create();
    const first = await desk.configure(id, graph([start, mail('a'), mail('b')]));
    const second = await desk.configure(id, graph([start, mail('b', 'Anew')]));
    expect(second.configuredEmails).toEqual([first.configuredEmails[1]]);
    expect(second.workflow.emails).toMatchObject([{ stepId: 'b', subject: 'Anew' }]);
    const settled = { settings: { reentry: 'ALWAYS' } };
    expect((await desk.configure(id, { ...graph([start, mail('b')]), ...settled })).workflow.settings.reentry).toBe(
      'ALWAYS',
    );
    expect((await desk.configure(id, graph([start, mail('b')]))).workflow.settings.reentry).toBe('ALWAYS');
  });

  it('tells every problem at once with GRAPH_INVALID, step and rule, and saves nothing', async () => {
    const { id, updatedAt } = await desk.create();
    const steps = [
      start,
      step('w', 'WAIT', { amount: 400, unit: 'DAYS' }),
      step('c', 'CONDITION', { filters: [tagged('nobody-has-this')] }),
      step('m', 'EMAIL', { subject: 'No content' }),
      step('x', 'DANCE'),
      step('w', 'WAIT', { duration: 5 }),
    ];
    const edges = [
      { source: 'c', target: 'm', branch: 'MAYBE' },
      { source: 'start', target: 'nowhere' },
    ];
    const told = await issues('configure_workflow_draft', {
      workflowId: id,
      expectedUpdatedAt: updatedAt,
      steps,
      edges,
    });
    expect(told.join('\n')).toContain('steps.1.config.amount step "w" (WAIT): must not be more than one year');
    for (const part of [
      'steps.5.id',
      'unknown type',
      'unknown branch "MAYBE"',
      'edges.1.target',
      'missing content',
      'nobody-has-this',
    ])
      expect(told.join('\n')).toContain(part);
    expect(await desk.get(id)).toMatchObject({ updatedAt, draft: { steps: [] } });
  });

  it('refuses what names tags, campaigns, workflows of another organization, and wrong content, with the place', async () => {
    const foreign = await desk.create('Foreign', desk.theirs);
    const { id, updatedAt } = await desk.create();
    const steps = [
      step('t', 'TRIGGER', { kind: 'EMAIL_OPENED', campaignId: newId('cmp') }),
      step('a', 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId: foreign.id }),
      step('r', 'ACTION', { kind: 'REMOVE_TAGS', tags: ['unheard of'] }),
      step('f', 'ACTION', { kind: 'SET_FIELD', field: 'no such field', value: 1 }),
      step('m', 'EMAIL', { subject: 'x', content: { type: 'doc', content: [{ type: 'nonsense' }] } }),
    ];
    const told = await issues('configure_workflow_draft', {
      workflowId: id,
      expectedUpdatedAt: updatedAt,
      ...graph(steps),
    });
    expect(told.map((text) => text.split(' ')[0])).toEqual([
      'steps.0.config.campaignId',
      'steps.1.config.workflowId',
      'steps.2.config.tags.0',
      'steps.3.config.field',
      'steps.4.config.content.content.0',
    ]);
  });

  it('refuses a stale or misread updatedAt with EXPECTED_UPDATED_AT_STALE, an unknown sender with SENDER_NOT_FOUND', async () => {
    const { id, updatedAt } = await desk.create();
    await desk.configure(id, graph([start, mail('m')]));
    const input = { workflowId: id, ...graph([start]) };
    for (const expectedUpdatedAt of [updatedAt, 'yesterday', '2026-01-01'])
      expect(await refusal('configure_workflow_draft', { ...input, expectedUpdatedAt })).toBe(
        'EXPECTED_UPDATED_AT_STALE',
      );
    const fresh = { workflowId: id, expectedUpdatedAt: (await desk.get(id)).updatedAt };
    const email = step('m', 'EMAIL', { subject: 'x', content: 'x', contentType: 'MARKDOWN', senderId: newId('snd') });
    expect(await refusal('configure_workflow_draft', { ...fresh, ...graph([start, email]) })).toBe('SENDER_NOT_FOUND');
  });

  it('answers WORKFLOW_NOT_FOUND for another organization’s workflow, CAMPAIGN_NOT_FOUND for its emails', async () => {
    const foreign = await desk.create('Foreign', desk.theirs);
    const theirs = await desk.configure(foreign.id, graph([start, mail('m')]), desk.theirs);
    const input = { expectedUpdatedAt: theirs.workflow.updatedAt, ...graph([start]) };
    expect(await refusal('configure_workflow_draft', { workflowId: foreign.id, ...input })).toBe('WORKFLOW_NOT_FOUND');
    const { id, updatedAt } = await desk.create();
    const copied = graph([start, step('m', 'EMAIL', { campaignId: theirs.configuredEmails[0]!.campaignId })]);
    const wish = { workflowId: id, expectedUpdatedAt: updatedAt };
    expect(await refusal('configure_workflow_draft', { ...wish, ...copied })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal('update_workflow_draft', { ...wish, definition: copied })).toBe('CAMPAIGN_NOT_FOUND');
    expect((await desk.get(foreign.id, desk.theirs)).emails).toHaveLength(1);
  });
});

describe('update_workflow_draft', () => {
  const update = async (workflowId: string, definition: object) => {
    const { updatedAt: expectedUpdatedAt } = await desk.get(workflowId);
    const input = { workflowId, expectedUpdatedAt, definition };
    return await desk.tidings.data<Awaited<ReturnType<Desk['configure']>>>('update_workflow_draft', input, desk.ours);
  };
  const campaign = async (tenant = desk.ours) => {
    const input = { subject: 'A campaign', content: 'Hello', contentType: 'MARKDOWN' };
    return (await desk.tidings.data<{ campaignId: string }>('create_campaign', input, tenant)).campaignId;
  };

  it('keeps an email of its own, and copies another workflow’s and a campaign', async () => {
    const [own, other] = [await desk.create(), await desk.create()];
    const mine = (await desk.configure(own.id, graph([start, mail('a', 'Mine')]))).configuredEmails[0]!.campaignId;
    const others = (await desk.configure(other.id, graph([start, mail('b', 'Theirs')]))).configuredEmails[0]!
      .campaignId;
    const broadcast = await campaign();
    const emails = [mine, others, broadcast, mine].map((campaignId, n) => step(`m${n}`, 'EMAIL', { campaignId }));
    const { configuredEmails, workflow } = await update(own.id, graph([start, ...emails]));
    const ids = configuredEmails.map(({ campaignId }) => campaignId);
    expect(ids[0]).toBe(mine);
    expect(new Set([...ids, others, broadcast]).size).toBe(6);
    expect(workflow.emails.map(({ subject }) => subject)).toEqual(['Mine', 'Theirs', 'A campaign', 'Mine']);
    expect((await desk.get(other.id)).emails).toMatchObject([{ campaignId: others }]);
  });

  it('takes back what get_workflow shows', async () => {
    const { id } = await desk.create();
    const { workflow } = await desk.configure(id, graph([start, step('w', 'WAIT', { timeOfDay: '09:00' }), mail('m')]));
    const again = await update(id, {
      ...workflow.draft,
      settings: workflow.settings,
      successGoals: workflow.successGoals,
    });
    expect({ ...again.workflow, updatedAt: null }).toEqual({ ...workflow, updatedAt: null });
  });

  it('refuses with GRAPH_INVALID under its own parameter, a stale token with EXPECTED_UPDATED_AT_STALE', async () => {
    const { id, updatedAt } = await desk.create();
    const lonely = graph([start, mail('m'), step('lonely', 'EXIT')], 'start>m');
    const input = { workflowId: id, expectedUpdatedAt: updatedAt, definition: lonely };
    expect(await issues('update_workflow_draft', input)).toEqual([
      'definition.steps.2 step "lonely" (EXIT): unreachable: no way leads here',
    ]);
    const stale = { ...input, expectedUpdatedAt: '2020-01-01T00:00:00.000Z' };
    expect(await refusal('update_workflow_draft', stale)).toBe('EXPECTED_UPDATED_AT_STALE');
    expect(await refusal('update_workflow_draft', { ...input, workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    const unsent = graph([start, step('m', 'EMAIL', { campaignId: await campaign(), senderId: newId('snd') })]);
    expect(await refusal('update_workflow_draft', { ...input, definition: unsent })).toBe('SENDER_NOT_FOUND');
    const theirs = graph([start, step('m', 'EMAIL', { campaignId: await campaign(desk.theirs) })]);
    expect(await refusal('update_workflow_draft', { ...input, definition: theirs })).toBe('CAMPAIGN_NOT_FOUND');
  });
});

describe('delete_workflow', () => {
  it('deletes a draft that was never published, with its emails, after saying so', async () => {
    const { id } = await desk.create('Short-lived');
    await desk.configure(id, graph([start, mail('m')]));
    expect(await desk.tidings.describe('delete_workflow', { workflowId: id }, desk.ours)).toMatchObject({
      data: { message: 'The draft "Short-lived" is deleted for good.' },
    });
    expect(await desk.tidings.data('delete_workflow', { workflowId: id }, desk.ours)).toEqual({ deleted: true });
    expect(await refusal('get_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal('delete_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
  });

  it('answers WORKFLOW_NOT_FOUND for another organization’s', async () => {
    const { id } = await desk.create('Foreign', desk.theirs);
    expect(await refusal('delete_workflow', { workflowId: id })).toBe('WORKFLOW_NOT_FOUND');
    expect((await desk.get(id, desk.theirs)).name).toBe('Foreign');
  });
});
