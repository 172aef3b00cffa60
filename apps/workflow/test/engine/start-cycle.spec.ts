import { beforeAll, describe, expect, it } from '@jest/globals';
import { startsAnHourMax } from '../../src/rules/enrolment.js';
import { BacklogRepository } from '../../src/metrics/backlog.repository.js';
import { addTags, onTag, step } from '../workflow-fixture.js';
import type { Desk, GivenStep } from '../workflow-fixture.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

/** A workflow that a tag starts, at any time again: it takes the tag off and does what else is given. */
const onEach = async (name: string, tag: string, ...more: GivenStep[]): Promise<string> => {
  await desk.tags(tag);
  const off = step('off', 'ACTION', { kind: 'REMOVE_TAGS', tags: [tag] });
  const steps = [onTag(tag), off, ...more];
  const edges = steps.slice(1).map(({ id }, n) => ({ source: steps[n]!.id, target: id }));
  return await desk.live({ steps, edges, settings: { reentry: 'ALWAYS' } }, name);
};

/** What a workflow that takes nobody answers. */
const refusalOf = async (workflowId: string): Promise<string> => {
  const input = { workflowId, email: 'ordinary@example.com' };
  const outcome = await desk.tidings.call('add_subscriber_to_workflow', input, desk.ours);
  return outcome.ok ? '' : outcome.error.message;
};

describe('two workflows that start each other by tags', () => {
  let ping: string;
  let pong: string;
  let other: string;
  let bystander: string;
  const statuses = () => Promise.all([ping, pong, other, bystander].map(async (id) => (await desk.get(id)).status));

  beforeAll(async () => {
    await desk.tags('ping', 'pong', 'seen');
    ping = await onEach('Ping', 'ping', addTags('give', 'pong'));
    pong = await onEach('Pong', 'pong', addTags('give', 'ping'));
    other = await onEach('Other', 'other', addTags('give', 'seen'));
    // Started by the circle as often as its members, and no part of it.
    bystander = await desk.live(
      {
        steps: [onTag('ping'), addTags('give', 'seen')],
        edges: [{ source: 'start', target: 'give' }],
        settings: { reentry: 'ALWAYS' },
      },
      'Bystander',
    );
    await desk.subscriber('ordinary@example.com');
    await desk.subscriber('circle@example.com', { tags: ['ping'] });
    await desk.run();
  });

  it('go on until the limit; then the one that exceeds it is PAUSED, and all others stay ACTIVE', async () => {
    expect(await statuses()).toEqual(['PAUSED', 'ACTIVE', 'ACTIVE', 'ACTIVE']);
    expect((await desk.get(ping)).stats).toMatchObject({
      enrolled: startsAnHourMax,
      skipped: [{ reason: 'LOOP', count: 1 }],
    });
    await desk.subscriber('ordinary@example.com', { tags: ['other'] });
    await desk.run();
    expect(await desk.tagsOf('ordinary@example.com')).toContain('seen');
  });

  it('leave the reason, with the circle, where somebody looks why it takes nobody', async () => {
    const [, reason] = (await refusalOf(ping)).split('paused by the system: ');
    expect(reason).toContain(`"Ping" starts "Pong" starts "Ping"`);
    expect(reason).toContain(`${startsAnHourMax} times within an hour`);
    const asked = await desk.tidings.describe(
      'update_workflow_status',
      { workflowId: ping, status: 'ACTIVE' },
      desk.ours,
    );
    expect(asked).toMatchObject({ ok: true, data: { message: expect.stringContaining(reason!) } });
    expect((await new BacklogRepository(desk.tidings.dataSource('workflow')).get()).pausedBySystem).toBe(1);
  });

  it('work again once the workflow is resumed, and the other is PAUSED when they still start each other', async () => {
    await desk.status(ping, 'ACTIVE');
    await desk.enrol(ping, 'circle@example.com');
    await desk.run();
    expect(await statuses()).toEqual(['ACTIVE', 'PAUSED', 'ACTIVE', 'ACTIVE']);
    expect((await desk.get(ping)).stats.enrolled).toBe(startsAnHourMax + 1);
  });

  it('are told apart from a pause by a person, which has no such reason', async () => {
    await desk.status(other, 'PAUSED');
    expect(await refusalOf(other)).toMatch(/^The workflow is PAUSED; .* subscribers\.$/);
    await desk.status(other, 'ACTIVE');
  });
});
