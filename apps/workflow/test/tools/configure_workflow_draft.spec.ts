import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { addTags, graph, mail, onSubscribing, step, tagged } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, issuesOf } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('configure_workflow_draft', () => {
  it('saves graph, emails, settings and goals whole, with ids in the place of names', async () => {
    const [vip] = await fixture.tags('vip');
    const { id } = await fixture.create();
    const draft = {
      ...graph(
        [
          onSubscribing,
          step('c', 'CONDITION', { filters: [tagged('vip')] }),
          mail('m', 'Welcome'),
          addTags('t', 'vip', 'brand new'),
        ],
        ...['start>c', 'c>m:true', 'm>t'],
      ),
      settings: { reentry: 'always', timezone: 'Europe/Paris' },
      successGoals: [{ name: 'Bought', event: { kind: 'EVENT', eventType: 'subscriber_payment' } }],
    };
    const { workflow, configuredEmails, warnings } = await fixture.configure(id, draft);
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
    expect(await fixture.get(id)).toEqual(workflow);
  });

  it('changes the settings that are given, and clears those that are null', async () => {
    const { id } = await fixture.create();
    const set = async (settings: object) =>
      (await fixture.configure(id, { ...graph([onSubscribing]), settings })).workflow.settings;
    const exitRules = [{ event: { kind: 'TAG_ADDED' } }];
    const sendWindow = { weekdays: [1], from: '09:00', to: '17:00' };
    const first = await set({ reentry: 'ALWAYS', timezone: 'Europe/Paris', exitRules, sendWindow });
    expect(await set({ exitOnUnsubscribe: false })).toEqual({ ...first, exitOnUnsubscribe: false });
    expect(await set({ timezone: null, sendWindow: null, exitRules: null })).toEqual({
      reentry: 'ALWAYS',
      exitRules: [],
      exitOnUnsubscribe: false,
    });
  });

  it('says one thing of a time of day that is written short', async () => {
    const { id, updatedAt } = await fixture.create();
    const sendWindow = { from: '9:00', to: '18:00' };
    const call = { workflowId: id, expectedUpdatedAt: updatedAt, ...graph([onSubscribing]), settings: { sendWindow } };
    expect(await issuesOf(fixture, 'configure_workflow_draft', call)).toEqual([
      'settings.sendWindow.from must be a time of day such as 09:00',
    ]);
  });

  it('warns of steps that add to a workflow without entries, or without such a step', async () => {
    const live = await fixture.live(graph([onSubscribing, addTags('t', 'vip')]), 'Target');
    const { id: draft } = await fixture.create('Unready');
    const { id } = await fixture.create();
    const add = (stepId: string, workflowId: string, to?: string) =>
      step(stepId, 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId, ...(to && { stepId: to }) });
    const warned = async (...steps: ReturnType<typeof add>[]) =>
      (await fixture.configure(id, graph([onSubscribing, ...steps]))).warnings.map(({ message }) => message);
    expect(await warned(add('a', live), add('b', live, 't'), add('c', id), add('d', id, 'a'))).toEqual([]);
    expect(await warned(add('a', live, 'gone'), add('b', draft), add('c', id, 'x'))).toEqual([
      'step "a" (ACTION): the workflow "Target" has no step "gone", so no subscriber is added to it',
      'step "b" (ACTION): the workflow "Unready" is DRAFT and enrols no subscribers until it is ACTIVE',
      expect.stringMatching(/^step "c" \(ACTION\): the workflow "[^"]+" has no step "x"/),
    ]);
    await fixture.status(live, 'PAUSED');
    expect(await warned(add('a', live))).toEqual([expect.stringContaining('"Target" is PAUSED')]);
  });

  it('keeps the email of a rewritten step, and drops those of removed steps', async () => {
    const { id } = await fixture.create();
    const first = await fixture.configure(id, graph([onSubscribing, mail('a'), mail('b')]));
    const second = await fixture.configure(id, graph([onSubscribing, mail('b', 'Anew')]));
    expect(second.configuredEmails).toEqual([first.configuredEmails[1]]);
    expect(second.workflow.emails).toMatchObject([{ stepId: 'b', subject: 'Anew' }]);
    const settled = { settings: { reentry: 'ALWAYS' } };
    expect(
      (await fixture.configure(id, { ...graph([onSubscribing, mail('b')]), ...settled })).workflow.settings.reentry,
    ).toBe('ALWAYS');
    expect((await fixture.configure(id, graph([onSubscribing, mail('b')]))).workflow.settings.reentry).toBe('ALWAYS');
  });

  it('returns every problem at once with GRAPH_INVALID, step and rule, and saves nothing', async () => {
    const { id, updatedAt } = await fixture.create();
    const steps = [
      onSubscribing,
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
    const reported = await issuesOf(fixture, 'configure_workflow_draft', {
      workflowId: id,
      expectedUpdatedAt: updatedAt,
      steps,
      edges,
    });
    expect(reported.join('\n')).toContain('steps.1.config.amount step "w" (WAIT): must not be more than one year');
    for (const part of [
      'steps.5.id',
      'unknown type',
      'unknown branch "MAYBE"',
      'edges.1.target',
      'missing content',
      'nobody-has-this',
    ])
      expect(reported.join('\n')).toContain(part);
    expect(await fixture.get(id)).toMatchObject({ updatedAt, draft: { steps: [] } });
  });

  it('refuses what names tags, campaigns, workflows of another organization, and wrong content, with the place', async () => {
    const foreign = await fixture.create('Foreign', fixture.otherTenant);
    const { id, updatedAt } = await fixture.create();
    const steps = [
      step('t', 'TRIGGER', { kind: 'EMAIL_OPENED', campaignId: newId('cmp') }),
      step('a', 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId: foreign.id }),
      step('r', 'ACTION', { kind: 'REMOVE_TAGS', tags: ['unheard of'] }),
      step('f', 'ACTION', { kind: 'SET_FIELD', field: 'no such field', value: 1 }),
      step('m', 'EMAIL', { subject: 'x', content: { type: 'doc', content: [{ type: 'nonsense' }] } }),
    ];
    const reported = await issuesOf(fixture, 'configure_workflow_draft', {
      workflowId: id,
      expectedUpdatedAt: updatedAt,
      ...graph(steps),
    });
    expect(reported.map((text) => text.split(' ')[0])).toEqual([
      'steps.0.config.campaignId',
      'steps.1.config.workflowId',
      'steps.2.config.tags.0',
      'steps.3.config.field',
      'steps.4.config.content.content.0',
    ]);
    const finders = ['list_campaigns and get_workflow', 'list_workflows', 'get_or_create_tags', 'create_custom_field'];
    for (const [place, finder] of finders.entries()) expect(reported[place]).toContain(finder);
  });

  it('returns the given path of each problem, also after steps and goals that it could not read', async () => {
    const { id, updatedAt } = await fixture.create();
    const steps = [
      step('start', 'TRIGGER', { kind: 'NEVER' }),
      step('c', 'CONDITION', { filters: [tagged('nobody-has-this')] }),
      step('m', 'EMAIL', { subject: 'No content' }),
      step('r', 'ACTION', { kind: 'REMOVE_TAGS', tags: ['unheard of'] }),
    ];
    const successGoals = [
      { id: 'x' },
      { id: 'won', filters: [tagged('nobody-has-this')] },
      { id: 'won', filters: [tagged('nobody-has-this')] },
    ];
    const input = { workflowId: id, expectedUpdatedAt: updatedAt, steps, edges: [], successGoals };
    const reported = await issuesOf(fixture, 'configure_workflow_draft', input);
    expect(reported.map((text) => text.split(' ')[0]).sort()).toEqual([
      'steps.0.config.kind',
      'steps.1.config.filters.0.tagNames.0',
      'steps.2.config.content',
      'steps.3.config.tags.0',
      'successGoals.0',
      'successGoals.1.filters.0.tagNames.0',
      'successGoals.2.filters.0.tagNames.0',
      'successGoals.2.id',
    ]);
    expect(reported.find((text) => text.startsWith('successGoals.2.id'))).toContain(
      'goal 3: the id "won" is used twice',
    );
  });

  it('refuses tags to be made that no tag may be named like, and takes as many as its steps may name', async () => {
    const { id, updatedAt } = await fixture.create();
    const wrong = {
      workflowId: id,
      expectedUpdatedAt: updatedAt,
      ...graph([onSubscribing, addTags('t', 'a,b', 'x'.repeat(65))]),
    };
    const reported = await issuesOf(fixture, 'configure_workflow_draft', wrong);
    expect(reported).toEqual([
      expect.stringContaining('steps.1.config.tags.0 step "t" (ACTION): the tag "a,b" cannot be made'),
      expect.stringContaining('steps.1.config.tags.1'),
    ]);
    const many = Array.from({ length: 11 }, (_, n) =>
      addTags(`t${n}`, ...Array.from({ length: 100 }, (_one, tag) => `tag ${n} ${tag}`)),
    );
    const { warnings } = await fixture.configure(id, graph([onSubscribing, ...many]));
    expect(warnings).toHaveLength(1_100);
    expect(warnings[0]).toEqual({
      stepId: 't0',
      message: 'step "t0" (ACTION): the tag "tag 0 0" does not exist yet and is made by the step',
    });
  });

  it('refuses a stale or misread updatedAt with EXPECTED_UPDATED_AT_STALE', async () => {
    const { id, updatedAt } = await fixture.create();
    await fixture.configure(id, graph([onSubscribing, mail('m')]));
    const input = { workflowId: id, ...graph([onSubscribing]) };
    for (const expectedUpdatedAt of [updatedAt, 'yesterday', '2026-01-01'])
      expect(await fixture.refusal('configure_workflow_draft', { ...input, expectedUpdatedAt })).toBe(
        'EXPECTED_UPDATED_AT_STALE',
      );
  });

  it('lists a campaign, sender, tag, field, segment and workflow that do not exist with their steps and paths', async () => {
    const { id, updatedAt } = await fixture.create();
    const content = { subject: 'x', content: 'x', contentType: 'MARKDOWN' };
    const wrong = graph(
      [
        onSubscribing,
        step('copied', 'EMAIL', { campaignId: newId('cmp') }),
        step('sent', 'EMAIL', { ...content, senderId: newId('snd') }),
        step('untag', 'ACTION', { kind: 'REMOVE_TAGS', tags: ['no such tag'] }),
        step('field', 'ACTION', { kind: 'SET_FIELD', field: 'no such field', value: '1' }),
        step('asked', 'CONDITION', {
          filters: [{ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId: newId('seg') }],
        }),
        step('onward', 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId: newId('wf') }),
      ],
      'start>copied',
      'copied>sent',
      'sent>untag',
      'untag>field',
      'field>asked',
      'asked>onward:TRUE',
    );
    const input = { workflowId: id, expectedUpdatedAt: updatedAt, ...wrong };
    const outcome = await fixture.harness.call('configure_workflow_draft', input, fixture.tenant);
    if (outcome.ok) throw new Error('the draft was saved');
    expect(outcome.error).toMatchObject({ code: 'VALIDATION_ERROR', reason: 'GRAPH_INVALID' });
    const places = outcome.error.issues!.map(({ stepId, path }) => `${stepId} ${path.slice(0, 4).join('.')}`);
    expect(places.sort()).toEqual([
      'asked steps.5.config.filters',
      'copied steps.1.config.campaignId',
      'field steps.4.config.field',
      'onward steps.6.config.workflowId',
      'sent steps.2.config.senderId',
      'untag steps.3.config.tags',
    ]);
    for (const { stepId, message } of outcome.error.issues!) expect(message).toContain(`step "${stepId}"`);
    expect((await fixture.get(id)).updatedAt).toBe(updatedAt);
  });

  it('answers WORKFLOW_NOT_FOUND for another organization’s workflow, and GRAPH_INVALID for its emails', async () => {
    const foreign = await fixture.create('Foreign', fixture.otherTenant);
    const otherTenant = await fixture.configure(foreign.id, graph([onSubscribing, mail('m')]), fixture.otherTenant);
    const input = { expectedUpdatedAt: otherTenant.workflow.updatedAt, ...graph([onSubscribing]) };
    expect(await fixture.refusal('configure_workflow_draft', { workflowId: foreign.id, ...input })).toBe(
      'WORKFLOW_NOT_FOUND',
    );
    const { id, updatedAt } = await fixture.create();
    const copied = graph([
      onSubscribing,
      step('m', 'EMAIL', { campaignId: otherTenant.configuredEmails[0]!.campaignId }),
    ]);
    const enrolmentRequest = { workflowId: id, expectedUpdatedAt: updatedAt };
    expect(await fixture.refusal('configure_workflow_draft', { ...enrolmentRequest, ...copied })).toBe('GRAPH_INVALID');
    expect(await fixture.refusal('update_workflow_draft', { ...enrolmentRequest, definition: copied })).toBe(
      'GRAPH_INVALID',
    );
    expect((await fixture.get(foreign.id, fixture.otherTenant)).emails).toHaveLength(1);
  });
});
