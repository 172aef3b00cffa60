import { beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { startsAnHourMax } from '../../src/rules/enrolment.js';
import { addTags, byHand, day, graph, mail, onTag, step, tagged } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

const always = { settings: { reentry: 'ALWAYS' } };

describe('stories that went wrong elsewhere', () => {
  it('14: a broadcast, an automation and a segment at once do not queue each other', async () => {
    await fixture.tags('loop tag');
    const filters = [tagged('loop tag')];
    const { segment } = await fixture.harness.data<{ segment: { id: string } }>(
      'create_segment',
      { name: 'Looping', filters },
      fixture.tenant,
    );
    const again = step('r', 'ACTION', { kind: 'REMOVE_TAGS', tags: ['loop tag'] });
    const c = step('c', 'CONDITION', { filters: [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId: segment.id }] });
    const id = await fixture.live({
      ...graph([onTag('loop tag'), c, again, addTags('a', 'loop tag')], 'start>c', 'c>r:TRUE', 'r>a'),
      ...always,
    });
    await fixture.subscriber('story14@example.com', { tags: ['loop tag'] });
    const campaign = { subject: 'News', contentType: 'MARKDOWN', content: 'x [u]({{unsubscribeUrl}})' };
    const { campaignId } = await fixture.harness.data<{ campaignId: string }>(
      'create_campaign',
      campaign,
      fixture.tenant,
    );
    const subscribers = fixture.harness.client(subscriberRequests);
    await Promise.all([
      fixture.run(),
      fixture.harness.data('update_campaign_filters', { campaignId, filters }, fixture.tenant),
      ...Array.from({ length: 10 }, () =>
        subscribers.count_recipients({ filters }, fixture.harness.caller(fixture.tenant)),
      ),
      fixture.harness.data('update_segment', { segmentId: segment.id, name: 'Looping still' }, fixture.tenant),
    ]);
    await fixture.run();
    // The workflow's own tag does not start it again.
    expect((await fixture.get(id)).stats).toMatchObject({ enrolled: 1, completed: 1 });
  });

  it('workflows that start each other stop by themselves, and say why', async () => {
    const [a, b] = [await fixture.create('A'), await fixture.create('B')];
    for (const [workflow, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const next = step('next', 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId: other.id });
      await fixture.configure(workflow.id, { ...graph([byHand, next]), ...always });
      await fixture.publish(workflow.id);
    }
    const email = 'round@example.com';
    await fixture.subscriber(email);
    await fixture.enrol(a.id, email);
    await fixture.fillRuns(a.id, startsAnHourMax - 5);
    await fixture.run();
    const skipped = [{ reason: 'LOOP', count: 1 }];
    expect(await fixture.get(a.id)).toMatchObject({ status: 'PAUSED', stats: { enrolled: 5, completed: 5, skipped } });
    const again = await fixture.harness.call('add_subscriber_to_workflow', { workflowId: a.id, email }, fixture.tenant);
    expect(again).toMatchObject({ error: { message: expect.stringContaining('100 times within an hour') } });
    for (const { id } of [a, b]) await fixture.status(id, 'ARCHIVED');
  });

  it('a workflow on no circle is not PAUSED, however often one subscriber is added to it', async () => {
    const id = await fixture.live({ ...graph([byHand, addTags('t', 'often')]), ...always });
    const email = 'often@example.com';
    await fixture.subscriber(email);
    await fixture.enrol(id, email);
    await fixture.fillRuns(id, startsAnHourMax - 1);
    const refused = await fixture.harness.call('add_subscriber_to_workflow', { workflowId: id, email }, fixture.tenant);
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('100 times within an hour') } });
    await fixture.run();
    expect(await fixture.get(id)).toMatchObject({ status: 'ACTIVE' });
    await fixture.subscriber('other@example.com');
    expect(await fixture.enrol(id, 'other@example.com')).toMatchObject({ workflowId: id });
  });

  it('17: the same trigger ten times at once makes one run', async () => {
    await fixture.tags('ten');
    const id = await fixture.live(graph([onTag('ten'), day()]));
    const subscriberId = await fixture.subscriber('story17@example.com');
    const enrol = { workflowId: id, subscriberId };
    await Promise.all([
      ...Array.from({ length: 5 }, () => fixture.harness.call('add_subscriber_to_workflow', enrol, fixture.tenant)),
      ...Array.from({ length: 5 }, () => fixture.subscriber('story17@example.com', { tags: ['ten'] })),
    ]);
    await fixture.run();
    expect(await fixture.runs('story17@example.com', id)).toHaveLength(1);
  });

  it('18: an EMAIL step that fails goes on when it can, and else fails in sight', async () => {
    const id = await fixture.live(graph([byHand, mail('m'), addTags('t', 'last step')]));
    await fixture.subscriber('story18@example.com');
    await fixture.enrol(id, 'story18@example.com');
    await fixture.harness.bus.without('delivery', () => fixture.run());
    expect(await fixture.runs('story18@example.com')).toMatchObject([{ status: 'ACTIVE', currentStep: { id: 'm' } }]);
    await fixture.pass(id, '5 minutes');
    await fixture.run();
    expect(await fixture.runs('story18@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
    expect(await fixture.tagsOf('story18@example.com')).toEqual(['last step']);
    expect(await fixture.mails('story18@example.com')).toHaveLength(1);
    await fixture.mailQuota(0);
    await fixture.subscriber('full18@example.com');
    await fixture.enrol(id, 'full18@example.com');
    await fixture.run();
    expect(await fixture.runs('full18@example.com')).toMatchObject([{ status: 'ACTIVE', currentStep: { id: 'm' } }]);
    await fixture.mailQuota(null);
    await fixture.pass(id, '10 minutes');
    await fixture.run();
    expect(await fixture.runs('full18@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
    await fixture.tags('doomed');
    const doomed = await fixture.live(graph([byHand, day(), addTags('t', 'doomed')]));
    await fixture.enrol(doomed, 'story18@example.com');
    const subscriber = fixture.harness.dataSource('subscriber');
    await subscriber.query(`update tag set deleted_at = clock_timestamp() where name = 'doomed'`);
    await fixture.pass(doomed, '1 day');
    await fixture.run();
    const [failed] = await fixture.runs('story18@example.com', doomed);
    expect(failed).toMatchObject({ status: 'FAILED', reason: expect.stringContaining('TAG_NOT_FOUND') });
  });

  it('25: work that was taken and never done is taken again, and happens once', async () => {
    const id = await fixture.live(graph([byHand, mail('m'), addTags('t', 'story 25')]));
    await fixture.subscriber('story25@example.com');
    await fixture.enrol(id, 'story25@example.com');
    // Another process takes the run, and nothing is heard of it any more.
    const sql = fixture.harness.dataSource('workflow');
    await sql.query(
      `update run set next_action_at = clock_timestamp() + interval '60 seconds', fence = fence + 1 where state = 'ACTIVE'`,
    );
    await fixture.run();
    expect(await fixture.mails('story25@example.com')).toEqual([]);
    await fixture.pass(id, '61 seconds');
    await Promise.all([fixture.run(), ...fixture.engine().map((take) => take())]);
    await fixture.run();
    expect(await fixture.mails('story25@example.com')).toHaveLength(1);
    expect(await fixture.tagsOf('story25@example.com')).toEqual(['story 25']);
  });
});
