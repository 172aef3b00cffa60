import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { byHand, day, graph, waiting } from '../workflow-fixture.js';
import type { RunData, WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

interface Page {
  runs: (Omit<RunData, 'history'> & { subscriber: { id: string; email: string } | null })[];
  total: number;
  totalIsMinimum?: true;
  nextCursor: string | null;
}

let fixture: WorkflowFixture;
let workflowId: string;
beforeAll(async () => {
  fixture = await isolatedFixture();
  workflowId = await fixture.live(waiting());
  for (const name of ['ada', 'bob', 'cy']) {
    await fixture.subscriber(`${name}@example.com`);
    await fixture.enrol(workflowId, `${name}@example.com`);
  }
  await fixture.run();
  await fixture.fastForward(workflowId, 'ada@example.com');
  await fixture.run();
});

describe('list_workflow_runs', () => {
  const list = (asked: object = {}) =>
    fixture.harness.data<Page>('list_workflow_runs', { workflowId, ...asked }, fixture.tenant);
  const emailsOf = ({ runs }: Page) => runs.map(({ subscriber }) => subscriber?.email);

  it('lists runs with their subscribers, most recently started first, page by page', async () => {
    const all = await list();
    expect(emailsOf(all)).toEqual(['cy@example.com', 'bob@example.com', 'ada@example.com']);
    expect(all).toMatchObject({ total: 3, nextCursor: null });
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, cursor: first.nextCursor! });
    expect([...emailsOf(first), ...emailsOf(second)]).toEqual(emailsOf(all));
    expect(second.nextCursor).toBeNull();
    const [run] = (await fixture.runs('cy@example.com')).map(({ history: _, workflowName: __, ...rest }) => rest);
    expect(all.runs[0]).toMatchObject(run!);
  });

  it('narrows by status, step and version', async () => {
    expect(await list({ status: 'COMPLETED' })).toMatchObject({ total: 1, runs: [{ status: 'COMPLETED' }] });
    expect(await list({ status: 'WAITING', stepId: 'wait' })).toMatchObject({ total: 2 });
    await fixture.configure(workflowId, graph([byHand, day('later')]));
    await fixture.publish(workflowId);
    await fixture.subscriber('dan@example.com');
    await fixture.enrol(workflowId, 'dan@example.com');
    expect(emailsOf(await list({ version: 2 }))).toEqual(['dan@example.com']);
    expect(await list({ stepId: 'wait', status: 'WAITING' })).toMatchObject({ total: 2 });
    expect(await list({ version: 3 })).toMatchObject({ total: 0, runs: [] });
  });

  it('shows the run of a deleted subscriber without one', async () => {
    await fixture.harness.data('delete_subscriber', { email: 'bob@example.com' }, fixture.tenant);
    const { runs } = await list({ version: 1 });
    expect(runs.map(({ subscriber }) => subscriber?.email ?? null)).toContain(null);
  });

  it('refuses unknown workflows, steps and cursors, and workflows of another organization', async () => {
    const refusal = (asked: object, tenant = fixture.tenant) =>
      fixture.refusal('list_workflow_runs', { workflowId, ...asked }, tenant);
    expect(await refusal({ workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal({ stepId: 'no such step' })).toBe('STEP_NOT_FOUND');
    expect(await refusal({ cursor: 'x' })).toBe('PARAMETERS_INVALID');
    expect(await refusal({}, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
  });
});
