import { beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { startsAnHourMax } from '../../src/rules/enrolment.js';
import { addTags, byHand, day, graph, mail, onTag, step, tagged } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

const always = { settings: { reentry: 'ALWAYS' } };

describe('stories that went wrong elsewhere', () => {
  it('14: a broadcast, an automation and a segment at once do not queue each other', async () => {
    await desk.tags('loop tag');
    const filters = [tagged('loop tag')];
    const { segment } = await desk.tidings.data<{ segment: { id: string } }>(
      'create_segment',
      { name: 'Looping', filters },
      desk.ours,
    );
    const again = step('r', 'ACTION', { kind: 'REMOVE_TAGS', tags: ['loop tag'] });
    const c = step('c', 'CONDITION', { filters: [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId: segment.id }] });
    const id = await desk.live({
      ...graph([onTag('loop tag'), c, again, addTags('a', 'loop tag')], 'start>c', 'c>r:TRUE', 'r>a'),
      ...always,
    });
    await desk.subscriber('story14@example.com', { tags: ['loop tag'] });
    const campaign = { subject: 'News', contentType: 'MARKDOWN', content: 'x [u]({{unsubscribeUrl}})' };
    const { campaignId } = await desk.tidings.data<{ campaignId: string }>('create_campaign', campaign, desk.ours);
    const subscribers = desk.tidings.client(subscriberRequests);
    await Promise.all([
      desk.run(),
      desk.tidings.data('update_campaign_filters', { campaignId, filters }, desk.ours),
      ...Array.from({ length: 10 }, () => subscribers.count_recipients({ filters }, desk.tidings.caller(desk.ours))),
      desk.tidings.data('update_segment', { segmentId: segment.id, name: 'Looping still' }, desk.ours),
    ]);
    await desk.run();
    // The workflow's own tag does not start it again.
    expect((await desk.get(id)).stats).toMatchObject({ enrolled: 1, completed: 1 });
  });

  it('workflows that start each other stop by themselves, and say why', async () => {
    const [a, b] = [await desk.create('A'), await desk.create('B')];
    for (const [workflow, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const next = step('next', 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId: other.id });
      await desk.configure(workflow.id, { ...graph([byHand, next]), ...always });
      await desk.publish(workflow.id);
    }
    const email = 'round@example.com';
    await desk.subscriber(email);
    await desk.enrol(a.id, email);
    await desk.fillRuns(a.id, startsAnHourMax - 5);
    await desk.run();
    const skipped = [{ reason: 'LOOP', count: 1 }];
    expect(await desk.get(a.id)).toMatchObject({ status: 'PAUSED', stats: { enrolled: 5, completed: 5, skipped } });
    const again = await desk.tidings.call('add_subscriber_to_workflow', { workflowId: a.id, email }, desk.ours);
    expect(again).toMatchObject({ error: { message: expect.stringContaining('100 times within an hour') } });
    for (const { id } of [a, b]) await desk.status(id, 'ARCHIVED');
  });

  it('a workflow on no circle is not PAUSED, however often one subscriber is added to it', async () => {
    const id = await desk.live({ ...graph([byHand, addTags('t', 'often')]), ...always });
    const email = 'often@example.com';
    await desk.subscriber(email);
    await desk.enrol(id, email);
    await desk.fillRuns(id, startsAnHourMax - 1);
    const refused = await desk.tidings.call('add_subscriber_to_workflow', { workflowId: id, email }, desk.ours);
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('100 times within an hour') } });
    await desk.run();
    expect(await desk.get(id)).toMatchObject({ status: 'ACTIVE' });
    await desk.subscriber('other@example.com');
    expect(await desk.enrol(id, 'other@example.com')).toMatchObject({ workflowId: id });
  });

  it('17: the same trigger ten times at once makes one run', async () => {
    await desk.tags('ten');
    const id = await desk.live(graph([onTag('ten'), day()]));
    const subscriberId = await desk.subscriber('story17@example.com');
    const enrol = { workflowId: id, subscriberId };
    await Promise.all([
      ...Array.from({ length: 5 }, () => desk.tidings.call('add_subscriber_to_workflow', enrol, desk.ours)),
      ...Array.from({ length: 5 }, () => desk.subscriber('story17@example.com', { tags: ['ten'] })),
    ]);
    await desk.run();
    expect(await desk.runs('story17@example.com', id)).toHaveLength(1);
  });

  it('18: an EMAIL step that fails goes on when it can, and else fails in sight', async () => {
    const id = await desk.live(graph([byHand, mail('m'), addTags('t', 'last step')]));
    await desk.subscriber('story18@example.com');
    await desk.enrol(id, 'story18@example.com');
    await desk.tidings.bus.without('delivery', () => desk.run());
    expect(await desk.runs('story18@example.com')).toMatchObject([{ status: 'ACTIVE', currentStep: { id: 'm' } }]);
    await desk.pass(id, '5 minutes');
    await desk.run();
    expect(await desk.runs('story18@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
    expect(await desk.tagsOf('story18@example.com')).toEqual(['last step']);
    expect(await desk.mails('story18@example.com')).toHaveLength(1);
    await desk.mailQuota(0);
    await desk.subscriber('full18@example.com');
    await desk.enrol(id, 'full18@example.com');
    await desk.run();
    expect(await desk.runs('full18@example.com')).toMatchObject([{ status: 'ACTIVE', currentStep: { id: 'm' } }]);
    await desk.mailQuota(null);
    await desk.pass(id, '10 minutes');
    await desk.run();
    expect(await desk.runs('full18@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
    await desk.tags('doomed');
    const doomed = await desk.live(graph([byHand, day(), addTags('t', 'doomed')]));
    await desk.enrol(doomed, 'story18@example.com');
    const subscriber = desk.tidings.dataSource('subscriber');
    await subscriber.query(`update tag set deleted_at = clock_timestamp() where name = 'doomed'`);
    await desk.pass(doomed, '1 day');
    await desk.run();
    const [failed] = await desk.runs('story18@example.com', doomed);
    expect(failed).toMatchObject({ status: 'FAILED', reason: expect.stringContaining('TAG_NOT_FOUND') });
  });

  it('25: work that was taken and never done is taken again, and happens once', async () => {
    const id = await desk.live(graph([byHand, mail('m'), addTags('t', 'story 25')]));
    await desk.subscriber('story25@example.com');
    await desk.enrol(id, 'story25@example.com');
    // Another process takes the run, and nothing is heard of it any more.
    const sql = desk.tidings.dataSource('workflow');
    await sql.query(
      `update run set next_action_at = clock_timestamp() + interval '60 seconds', fence = fence + 1 where state = 'ACTIVE'`,
    );
    await desk.run();
    expect(await desk.mails('story25@example.com')).toEqual([]);
    await desk.pass(id, '61 seconds');
    await Promise.all([desk.run(), ...desk.engine().map((take) => take())]);
    await desk.run();
    expect(await desk.mails('story25@example.com')).toHaveLength(1);
    expect(await desk.tagsOf('story25@example.com')).toEqual(['story 25']);
  });
});
