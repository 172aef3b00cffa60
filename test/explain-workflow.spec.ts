import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainWorkflowRequests } from '#contracts';
import type { ExplainCheck } from '#contracts';
import { newId } from '#database';
import { Outbox } from '#events';
import {
  addTags,
  byHand,
  day,
  graph,
  mail,
  onTag,
  step,
  tagged as taggedFilter,
  WorkflowFixture,
} from '../apps/workflow/test/workflow-fixture.js';
import { Harness } from './harness/harness.js';

interface Explanation {
  verdict: string;
  headline: string;
  checks: ExplainCheck[];
  nextPossibleAt: string | null;
  unknown: string[];
}

describe('explain of a workflow', () => {
  let harness: Harness;
  let fixture: WorkflowFixture;
  beforeAll(async () => {
    harness = await Harness.start();
    fixture = await WorkflowFixture.on(harness);
    await fixture.tags('go', 'vip');
  });
  afterAll(() => harness.stop());

  const refusal = (input: object, of = fixture.tenant) => harness.refusal('explain', input, of);
  const failed = ({ checks }: Explanation) => checks.find(({ passed }) => !passed);
  const why = (email: string, workflowId: string, of = fixture.tenant) =>
    harness.data<Explanation>('explain', { email, workflowId }, of);
  const check = ({ checks }: Explanation, rule: string) => checks.find((one) => one.rule === rule);

  it('is RUNNING at a step until its wait ends, and COMPLETED with the mail that it sent', async () => {
    const id = await fixture.live(graph([byHand, day(), mail('news')]));
    await fixture.subscriber('run@example.com');
    await fixture.enrol(id, 'run@example.com');
    await fixture.run();
    const running = await why('run@example.com', id);
    expect(running).toMatchObject({ verdict: 'RUNNING', nextPossibleAt: expect.any(String), unknown: [] });
    expect(running.headline).toContain("waits at the step 'wait'");
    await fixture.fastForward(id, 'run@example.com');
    await fixture.run();
    const completed = await why('run@example.com', id);
    expect(completed).toMatchObject({ verdict: 'COMPLETED', nextPossibleAt: null });
    expect(completed.checks.map(({ rule, actual, passed }) => [rule, actual, passed])).toEqual([
      ['entered', 'entered version 1', true],
      ['mail', 'SENT', true],
      ['end', 'COMPLETED', true],
      ['workflow', 'ACTIVE', true],
      ['trigger', 'starts without an event of the subscriber', true],
      ['existed', expect.any(String), true],
      ['status', 'SUBSCRIBED', true],
      ['suppression', 'none', true],
      ['re-entry', 'enrolled before', false],
      ['loop', '1 starts', true],
    ]);
  });

  it('is LEFT_OUT with the reason when its run ended early', async () => {
    const id = await fixture.live(graph([byHand, day()]));
    await fixture.subscriber('removed@example.com');
    await fixture.enrol(id, 'removed@example.com');
    await fixture.run();
    await harness.data(
      'remove_subscriber_from_workflow',
      { workflowId: id, email: 'removed@example.com' },
      fixture.tenant,
    );
    const found = await why('removed@example.com', id);
    expect(found).toMatchObject({ verdict: 'LEFT_OUT', headline: expect.stringContaining('REMOVED') });
    expect(failed(found)).toMatchObject({ rule: 'end' });
  });

  it('is NOT_STARTED while the workflow is not ACTIVE, by the first check', async () => {
    const { id } = await fixture.create('Draft');
    await fixture.subscriber('draft@example.com');
    expect(failed(await why('draft@example.com', id))).toMatchObject({ rule: 'workflow', actual: 'DRAFT' });
    expect((await why('draft@example.com', id)).verdict).toBe('NOT_STARTED');
  });

  it('is NOT_STARTED without the event of the trigger, and LEFT_OUT when its filters did not match', async () => {
    const id = await fixture.live(
      graph([{ ...onTag('go'), config: { ...onTag('go').config, filters: [taggedFilter('vip')] } }, day()]),
    );
    const subscriberId = await fixture.subscriber('event@example.com');
    const before = await why('event@example.com', id);
    expect(before.verdict).toBe('NOT_STARTED');
    expect(failed(before)).toMatchObject({ rule: 'trigger', actual: 'has not happened' });
    await harness.data('bulk_add_tags', { subscriberIds: [subscriberId], tagNames: ['go'] }, fixture.tenant);
    await fixture.run();
    const after = await why('event@example.com', id);
    expect(after.verdict).toBe('LEFT_OUT');
    expect(check(after, 'trigger')).toMatchObject({ passed: true });
    expect(failed(after)).toMatchObject({ rule: 'filter', actual: 'does not match' });
  });

  it('is LEFT_OUT for one who may not be written to, with what may be done', async () => {
    const id = await fixture.live(graph([byHand, day()]));
    const subscriberId = await fixture.subscriber('left@example.com');
    await harness.data('unsubscribe', { subscriberId }, fixture.tenant);
    const found = await why('left@example.com', id);
    expect(found).toMatchObject({ verdict: 'LEFT_OUT', actions: [{ tool: 'reactivate_subscriber' }] });
    expect(failed(found)).toMatchObject({ rule: 'status', actual: 'UNSUBSCRIBED' });
  });

  it('would accept a start when every check passes', async () => {
    const id = await fixture.live(graph([byHand, day()]));
    await fixture.subscriber('free@example.com');
    expect(await why('free@example.com', id)).toMatchObject({
      verdict: 'NOT_STARTED',
      headline: expect.stringContaining('A start would be accepted now'),
    });
  });

  it('says after an ended run why another start would be refused: re-entry', async () => {
    const id = await fixture.live({ ...graph([byHand, addTags('tag', 'vip')]), settings: { reentry: 'ONCE' } });
    await fixture.subscriber('once@example.com');
    await fixture.enrol(id, 'once@example.com');
    await fixture.run();
    const found = await why('once@example.com', id);
    expect(found).toMatchObject({
      verdict: 'COMPLETED',
      headline: expect.stringContaining("re-entry is 'enrolled before'"),
    });
    expect(failed(found)).toMatchObject({ rule: 're-entry', actual: 'enrolled before' });
  });

  it('says after an ended run that another start would be accepted', async () => {
    const id = await fixture.live({ ...graph([byHand, addTags('tag', 'vip')]), settings: { reentry: 'ALWAYS' } });
    await fixture.subscriber('again@example.com');
    await fixture.enrol(id, 'again@example.com');
    await fixture.run();
    const found = await why('again@example.com', id);
    expect(found.headline).toContain('Another start would be accepted now');
    expect(failed(found)).toBeUndefined();
  });

  it('says after an ended run why another start would be refused: the starts within an hour', async () => {
    const id = await fixture.live({ ...graph([byHand, addTags('tag', 'vip')]), settings: { reentry: 'ALWAYS' } });
    await fixture.subscriber('often@example.com');
    await fixture.enrol(id, 'often@example.com');
    await fixture.run();
    await fixture.fillRuns(id, 100);
    const found = await why('often@example.com', id);
    expect(found.verdict).toBe('COMPLETED');
    expect(failed(found)).toMatchObject({ rule: 'loop', actual: '101 starts' });
  });

  it('says after an ended run why another start would be refused: the subscriber left', async () => {
    const id = await fixture.live({ ...graph([byHand, day()]), settings: { reentry: 'ALWAYS' } });
    const subscriberId = await fixture.subscriber('gone@example.com');
    await fixture.enrol(id, 'gone@example.com');
    await fixture.run();
    await harness.data('unsubscribe', { subscriberId }, fixture.tenant);
    await fixture.run();
    expect(await why('gone@example.com', id)).toMatchObject({
      verdict: 'LEFT_OUT',
      headline: expect.stringContaining("status is 'UNSUBSCRIBED'"),
      actions: [{ tool: 'reactivate_subscriber' }],
    });
  });

  describe('names the event of a trigger', () => {
    const trigger = (config: object) => graph([step('start', 'TRIGGER', { ...config }), day()]);
    const triggerCheck = async (email: string, id: string) => check(await why(email, id), 'trigger');

    it('only of the campaign that the trigger names', async () => {
      const campaign = async (name: string) =>
        (
          await harness.data<{ campaignId: string }>(
            'create_campaign',
            { name, subject: name, contentType: 'MARKDOWN', content: name },
            fixture.tenant,
          )
        ).campaignId;
      const [named, other] = [await campaign('Named'), await campaign('Other')];
      const id = await fixture.live(
        graph([step('start', 'TRIGGER', { kind: 'EMAIL_OPENED', campaignId: named }), day()]),
      );
      const email = 'reader@example.com';
      const subscriberId = await fixture.subscriber(email);
      const open = async (campaignId: string) => {
        const outbox = new Outbox('delivery');
        const mail = { messageId: newId('msg'), subscriberId, campaignId, campaignName: 'Any', subject: 'Any', email };
        const opened = { machine: false, first: true, userAgent: null, simulated: false };
        outbox.add(
          fixture.tenant.organizationId,
          'message.opened',
          { ...mail, ...opened, at: new Date().toISOString() },
          'spec',
        );
        await outbox.flush(harness.dataSource('delivery').manager);
        await harness.deliverEvents();
      };
      await open(other);
      expect(await triggerCheck(email, id)).toMatchObject({ passed: false, actual: 'has not happened' });
      await open(named);
      expect(await triggerCheck(email, id)).toMatchObject({ passed: true });
    });

    it('only of the field that the trigger names, also under its former name', async () => {
      const field = async (name: string) =>
        (await harness.data<{ customField: { id: string } }>('create_custom_field', { name }, fixture.tenant))
          .customField.id;
      const [fieldId] = [await field('stage'), await field('city')];
      const id = await fixture.live(trigger({ kind: 'FIELD_UPDATED', fieldId }));
      const email = 'field@example.com';
      const subscriber = await fixture.subscriber(email);
      const set = (fields: object) => harness.data('update_subscriber', { subscriber, fields }, fixture.tenant);
      await set({ city: 'Paris' });
      expect(await triggerCheck(email, id)).toMatchObject({ passed: false, actual: 'has not happened' });
      await set({ stage: '2' });
      await harness.data('rename_custom_field', { fieldId, name: 'phase' }, fixture.tenant);
      expect(await triggerCheck(email, id)).toMatchObject({ passed: true });
    });

    it('only after the publication', async () => {
      const email = 'early@example.com';
      await fixture.subscriber(email, { tags: ['go'] });
      const id = await fixture.live(graph([onTag('go'), day()]));
      expect(await why(email, id)).toMatchObject({ verdict: 'NOT_STARTED' });
      expect(await triggerCheck(email, id)).toMatchObject({
        passed: false,
        actual: expect.stringContaining('before the publication'),
      });
    });
  });

  it('is LEFT_OUT by a group that keeps the run in another workflow', async () => {
    const { group } = await harness.data<{ group: { id: string } }>(
      'create_workflow_group',
      { name: 'Promotions', conflictStrategy: 'SKIP_NEW' },
      fixture.tenant,
    );
    const [first, second] = [await fixture.live(graph([byHand, day()])), await fixture.live(graph([byHand, day()]))];
    for (const id of [first, second]) await fixture.setGroup(id, group.id);
    await fixture.subscriber('grouped@example.com');
    await fixture.enrol(first, 'grouped@example.com');
    await fixture.run();
    const found = await why('grouped@example.com', second);
    expect(found.verdict).toBe('LEFT_OUT');
    expect(failed(found)).toMatchObject({ rule: 'group', actual: 'an open run in another workflow' });
  });

  it('counts the starts within an hour, which decide about the next one', async () => {
    const id = await fixture.live({ ...graph([byHand, day()]), settings: { reentry: 'ALWAYS' } });
    const subscriberId = await fixture.subscriber('copy@example.com');
    await fixture.enrol(id, 'copy@example.com');
    await fixture.run();
    await fixture.fillRuns(id, 100);
    const { find_workflow_run } = harness.client(explainWorkflowRequests);
    const found = await find_workflow_run({ workflowId: id, subscriberId }, harness.caller(fixture.tenant));
    expect(found).toMatchObject({ startsLastHour: 101, startsAnHourMax: 100 });
  });

  it('is IN_DOUBT while the workflow service does not answer', async () => {
    const id = await fixture.live(graph([byHand, day()]));
    await fixture.subscriber('quiet@example.com');
    const found = await harness.bus.without('workflow', () => why('quiet@example.com', id));
    expect(found).toMatchObject({ verdict: 'IN_DOUBT', unknown: ['workflow'] });
  });

  it('refuses unknown workflows and those of another organization: WORKFLOW_NOT_FOUND', async () => {
    const id = await fixture.live(graph([byHand, day()]));
    await fixture.subscriber('other@example.com', {}, fixture.otherTenant);
    await fixture.subscriber('own@example.com');
    const asked = { email: 'other@example.com', workflowId: id };
    expect(await refusal(asked, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
    const unknown = { email: 'own@example.com', workflowId: newId('wf') };
    expect(await refusal(unknown, fixture.tenant)).toBe('WORKFLOW_NOT_FOUND');
  });
});
