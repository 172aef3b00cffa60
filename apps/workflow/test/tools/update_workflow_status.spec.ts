import { beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { until } from '#testing';
import { addTags, waiting } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, inState } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('update_workflow_status', () => {
  it('refuses what was never published with WORKFLOW_NOT_PUBLISHED, another organization’s with WORKFLOW_NOT_FOUND', async () => {
    const { id } = await desk.create();
    const input = { workflowId: id, status: 'ACTIVE' };
    expect(await desk.refusal('update_workflow_status', input)).toBe('WORKFLOW_NOT_PUBLISHED');
    expect(await desk.refusal('update_workflow_status', input, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
  });

  it('holds timers while PAUSED and lets them fire after', async () => {
    const id = await desk.live(waiting(addTags('t', 'paused then')));
    await desk.subscriber('held@example.com');
    await desk.enrol(id, 'held@example.com');
    await desk.status(id, 'PAUSED');
    await desk.pass(id, '2 days');
    await desk.run();
    expect((await desk.runs('held@example.com'))[0]).toMatchObject({
      status: 'WAITING',
      nextActionAt: expect.any(String),
    });
    expect(await desk.refusal('add_subscriber_to_workflow', { workflowId: id, email: 'held@example.com' })).toBe(
      'WORKFLOW_NOT_ACTIVE',
    );
    await desk.status(id, 'ACTIVE');
    await desk.run();
    expect((await desk.runs('held@example.com'))[0]).toMatchObject({ status: 'COMPLETED' });
    expect(await desk.tagsOf('held@example.com')).toEqual(['paused then']);
  });

  it('ends the runs of what is ARCHIVED, and takes it up again when told to', async () => {
    const id = await desk.live(waiting());
    await desk.subscriber('archived@example.com');
    await desk.enrol(id, 'archived@example.com');
    const described = await desk.tidings.describe(
      'update_workflow_status',
      { workflowId: id, status: 'ARCHIVED' },
      desk.ours,
    );
    expect(described).toMatchObject({ data: { message: expect.stringContaining('cancels 1 run for good') } });
    expect(await desk.status(id, 'ARCHIVED')).toMatchObject({ status: 'ARCHIVED', activeSubscribers: 0 });
    expect(await desk.runs('archived@example.com')).toMatchObject([
      { status: 'CANCELED', reason: 'WORKFLOW_ARCHIVED' },
    ]);
    expect(await desk.status(id, 'ACTIVE')).toMatchObject({ status: 'ACTIVE' });
    const gone = await desk.tidings.data('delete_workflow', { workflowId: id }, desk.ours);
    expect(gone).toMatchObject({ archived: true, workflow: { id, status: 'ARCHIVED' } });
  });

  it('ends every run of before when it leaves ARCHIVED, also one that somebody holds', async () => {
    const id = await desk.live(waiting());
    await desk.subscriber('in-hand@example.com');
    await desk.enrol(id, 'in-hand@example.com');
    const database = desk.tidings.dataSource('workflow');
    let again: Promise<unknown> = Promise.resolve();
    await database.transaction(async (sql) => {
      await sql.query(`select from run where workflow_id = $1 for update`, [uuidOf('wf', id)]);
      await desk.status(id, 'ARCHIVED');
      again = desk.status(id, 'ACTIVE');
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until('it waits', async () => (await database.query<unknown[]>(waits)).length > 0, 30_000);
    });
    await again;
    expect(await desk.runs('in-hand@example.com')).toMatchObject([{ status: 'CANCELED', reason: 'WORKFLOW_ARCHIVED' }]);
  });

  it.each(
    (['ACTIVE', 'PAUSED', 'ARCHIVED'] as const).flatMap((to) =>
      (['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const).map(
        (from) => [from, to, from === 'DRAFT' ? 'WORKFLOW_NOT_PUBLISHED' : to] as const,
      ),
    ),
  )('update_workflow_status takes %s to %s: %s', async (from, status, result) => {
    const workflowId = await inState[from](desk);
    const outcome = await desk.tidings.call('update_workflow_status', { workflowId, status }, desk.ours);
    expect(outcome.ok ? (await desk.get(workflowId)).status : outcome.error.reason).toBe(result);
  });
});
