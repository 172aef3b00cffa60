import { beforeAll, describe, expect, it } from '@jest/globals';
import { newUuid, uuidOf } from '#database';
import { startsAnHourMax } from '../../src/rules/enrolment.js';
import { BacklogRepository } from '../../src/metrics/backlog.repository.js';
import { addTags, onTag, step } from '../workflow-fixture.js';
import type { WorkflowFixture, GivenStep } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

/** A workflow that a tag starts, at any time again: it takes the tag off and does what else is given. */
const onEach = async (name: string, tag: string, ...more: GivenStep[]): Promise<string> => {
  await fixture.tags(tag);
  const off = step('off', 'ACTION', { kind: 'REMOVE_TAGS', tags: [tag] });
  const steps = [onTag(tag), off, ...more];
  const edges = steps.slice(1).map(({ id }, n) => ({ source: steps[n]!.id, target: id }));
  return await fixture.live({ steps, edges, settings: { reentry: 'ALWAYS' } }, name);
};

/** Copies the finished run of `from`, as if the workflow had started that often for its subscriber within the hour. */
const addStarts = async (workflowId: string, from: string, count: number): Promise<void> => {
  await fixture.harness.dataSource('workflow').query(
    `insert into run
     select (jsonb_populate_record(null::run, to_jsonb(r) || jsonb_build_object('run_id', id, 'workflow_id', $1::uuid))).*
     from (select * from run where workflow_id = $3 and state = 'COMPLETED' limit 1) r, unnest($2::uuid[]) id`,
    [uuidOf('wf', workflowId), Array.from({ length: count }, newUuid), uuidOf('wf', from)],
  );
};

/** Returns the refusal of a workflow that does not enrol. */
const refusalOf = async (workflowId: string): Promise<string> => {
  const input = { workflowId, email: 'ordinary@example.com' };
  const outcome = await fixture.harness.call('add_subscriber_to_workflow', input, fixture.tenant);
  return outcome.ok ? '' : outcome.error.message;
};

describe('two workflows that start each other by tags', () => {
  let ping: string;
  let pong: string;
  let other: string;
  let bystander: string;
  const statuses = () => Promise.all([ping, pong, other, bystander].map(async (id) => (await fixture.get(id)).status));

  beforeAll(async () => {
    await fixture.tags('ping', 'pong', 'seen');
    ping = await onEach('Ping', 'ping', addTags('give', 'pong'));
    pong = await onEach('Pong', 'pong', addTags('give', 'ping'));
    other = await onEach('Other', 'other', addTags('give', 'seen'));
    // Started by the circle more often than the limit, and no part of it.
    bystander = await fixture.live(
      {
        steps: [onTag('ping'), addTags('give', 'seen')],
        edges: [{ source: 'start', target: 'give' }],
        settings: { reentry: 'ALWAYS' },
      },
      'Bystander',
    );
    await fixture.subscriber('ordinary@example.com');
    await fixture.subscriber('circle@example.com');
    // One run that can be copied; Ping must not go on from it.
    await fixture.status(ping, 'PAUSED');
    await fixture.enrol(pong, 'circle@example.com');
    await fixture.run();
    await fixture.status(ping, 'ACTIVE');
    await addStarts(ping, pong, startsAnHourMax - 2);
    await addStarts(pong, pong, startsAnHourMax - 3);
    await addStarts(bystander, pong, startsAnHourMax);
    await fixture.enrol(ping, 'circle@example.com');
    await fixture.run();
  });

  it('go on until the limit; then the one that exceeds it is PAUSED, and all others stay ACTIVE', async () => {
    expect(await statuses()).toEqual(['PAUSED', 'ACTIVE', 'ACTIVE', 'ACTIVE']);
    expect((await fixture.get(ping)).stats).toMatchObject({
      enrolled: 2,
      skipped: [{ reason: 'LOOP', count: 1 }],
    });
    await fixture.subscriber('ordinary@example.com', { tags: ['other'] });
    await fixture.run();
    expect(await fixture.tagsOf('ordinary@example.com')).toContain('seen');
  });

  it('show the reason, with the cycle, in the places that explain why no subscriber enters', async () => {
    const [, reason] = (await refusalOf(ping)).split('Tidings paused it: ');
    expect(reason).toContain(`"Ping" starts "Pong" starts "Ping"`);
    expect(reason).toContain(`${startsAnHourMax} times within an hour`);
    const asked = await fixture.harness.describe(
      'update_workflow_status',
      { workflowId: ping, status: 'ACTIVE' },
      fixture.tenant,
    );
    expect(asked).toMatchObject({ ok: true, data: { message: expect.stringContaining(reason!) } });
    expect((await new BacklogRepository(fixture.harness.dataSource('workflow')).get()).pausedBySystem).toBe(1);
  });

  it('work again once the workflow is resumed, and the other is PAUSED when they still start each other', async () => {
    await fixture.status(ping, 'ACTIVE');
    await fixture.enrol(ping, 'circle@example.com');
    await fixture.run();
    expect(await statuses()).toEqual(['ACTIVE', 'PAUSED', 'ACTIVE', 'ACTIVE']);
    expect((await fixture.get(ping)).stats.enrolled).toBe(3);
  });

  it('are distinguished from a pause by a member, which has no such reason', async () => {
    await fixture.status(other, 'PAUSED');
    expect(await refusalOf(other)).toMatch(/^The workflow is PAUSED; .* subscribers\.$/);
    await fixture.status(other, 'ACTIVE');
  });
});
