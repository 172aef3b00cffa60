import { beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { until } from '#testing';
import { addTags, waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, inState } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('update_workflow_status', () => {
  it('refuses an unpublished workflow with WORKFLOW_NOT_PUBLISHED, another organization’s with WORKFLOW_NOT_FOUND', async () => {
    const { id } = await fixture.create();
    const input = { workflowId: id, status: 'ACTIVE' };
    expect(await fixture.refusal('update_workflow_status', input)).toBe('WORKFLOW_NOT_PUBLISHED');
    expect(await fixture.refusal('update_workflow_status', input, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
  });

  it('holds timers while PAUSED and fires them after', async () => {
    const id = await fixture.live(waiting(addTags('t', 'paused then')));
    await fixture.subscriber('held@example.com');
    await fixture.enrol(id, 'held@example.com');
    await fixture.status(id, 'PAUSED');
    await fixture.pass(id, '2 days');
    await fixture.run();
    expect((await fixture.runs('held@example.com'))[0]).toMatchObject({
      status: 'WAITING',
      nextActionAt: expect.any(String),
    });
    expect(await fixture.refusal('add_subscriber_to_workflow', { workflowId: id, email: 'held@example.com' })).toBe(
      'WORKFLOW_NOT_ACTIVE',
    );
    await fixture.status(id, 'ACTIVE');
    await fixture.run();
    expect((await fixture.runs('held@example.com'))[0]).toMatchObject({ status: 'COMPLETED' });
    expect(await fixture.tagsOf('held@example.com')).toEqual(['paused then']);
  });

  it('ends the runs of an ARCHIVED workflow, and activates it again on request', async () => {
    const id = await fixture.live(waiting());
    await fixture.subscriber('archived@example.com');
    await fixture.enrol(id, 'archived@example.com');
    const described = await fixture.harness.describe(
      'update_workflow_status',
      { workflowId: id, status: 'ARCHIVED' },
      fixture.tenant,
    );
    expect(described).toMatchObject({ data: { message: expect.stringContaining('permanently cancels 1 run') } });
    expect(await fixture.status(id, 'ARCHIVED')).toMatchObject({ status: 'ARCHIVED', activeSubscribers: 0 });
    expect(await fixture.runs('archived@example.com')).toMatchObject([
      { status: 'CANCELED', reason: 'WORKFLOW_ARCHIVED' },
    ]);
    expect(await fixture.status(id, 'ACTIVE')).toMatchObject({ status: 'ACTIVE' });
    const gone = await fixture.harness.data('delete_workflow', { workflowId: id }, fixture.tenant);
    expect(gone).toMatchObject({ archived: true, workflow: { id, status: 'ARCHIVED' } });
  });

  it('ends every earlier run when it leaves ARCHIVED, also a run that a worker has claimed', async () => {
    const id = await fixture.live(waiting());
    await fixture.subscriber('in-hand@example.com');
    await fixture.enrol(id, 'in-hand@example.com');
    const database = fixture.harness.dataSource('workflow');
    let again: Promise<unknown> = Promise.resolve();
    await database.transaction(async (sql) => {
      await sql.query(`select from run where workflow_id = $1 for update`, [uuidOf('wf', id)]);
      await fixture.status(id, 'ARCHIVED');
      again = fixture.status(id, 'ACTIVE');
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until('it waits', async () => (await database.query<unknown[]>(waits)).length > 0, 30_000);
    });
    await again;
    expect(await fixture.runs('in-hand@example.com')).toMatchObject([
      { status: 'CANCELED', reason: 'WORKFLOW_ARCHIVED' },
    ]);
  });

  it.each(
    (['ACTIVE', 'PAUSED', 'ARCHIVED'] as const).flatMap((to) =>
      (['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const).map(
        (from) => [from, to, from === 'DRAFT' ? 'WORKFLOW_NOT_PUBLISHED' : to] as const,
      ),
    ),
  )('update_workflow_status takes %s to %s: %s', async (from, status, result) => {
    const workflowId = await inState[from](fixture);
    const outcome = await fixture.harness.call('update_workflow_status', { workflowId, status }, fixture.tenant);
    expect(outcome.ok ? (await fixture.get(workflowId)).status : outcome.error.reason).toBe(result);
  });
});
