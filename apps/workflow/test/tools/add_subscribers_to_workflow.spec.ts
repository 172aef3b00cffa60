import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { RemoteFailure } from '#tool-call';
import { waiting } from '../workflow-fixture.js';
import { drain } from '../../src/engine/loop/work-item.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, otherTenant } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('add_subscribers_to_workflow', () => {
  interface Many {
    matched: number;
    enrolled?: number;
    skipped?: { reason: string; count: number }[];
    steps?: { id: string }[];
    jobId?: string;
  }
  const add = async (input: object) =>
    await fixture.harness.data<Many>('add_subscribers_to_workflow', input, fixture.tenant);
  const fakeServices = async (count: number, tag: string) => {
    const subscribers = Array.from({ length: count }, (_, n) => ({ email: `${tag}-${n}@example.com`, tags: [tag] }));
    for (let from = 0; from < count; from += 500)
      await fixture.harness.data(
        'import_subscribers',
        { subscribers: subscribers.slice(from, from + 500) },
        fixture.tenant,
      );
  };

  it('returns matches and steps for dryRun without enrolling', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(3, 'dry');
    const input = { workflowId: id, query: 'dry-', dryRun: true };
    expect(await add(input)).toEqual({
      matched: 3,
      steps: [
        { id: 'start', type: 'TRIGGER', name: null },
        { id: 'wait', type: 'WAIT', name: null },
      ],
      dryRun: true,
    });
    expect((await fixture.get(id)).activeSubscribers).toBe(0);
  });

  it('takes a query that more tags hold than one filter may name', async () => {
    const id = await fixture.live(waiting());
    for (const from of [0, 100]) await fixture.tags(...Array.from({ length: 100 }, (_, n) => `numbered ${from + n}`));
    for (const n of [0, 150]) await fixture.subscriber(`tagged-${n}@example.com`, { tags: [`numbered ${n}`] });
    expect(await add({ workflowId: id, query: 'NUMBERED' })).toMatchObject({ matched: 2, enrolled: 2 });
  });

  it('enrols who matches, and counts who may not enter by the reason', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(5, 'some');
    await fixture.enrol(id, 'some-0@example.com');
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['some'] }];
    expect(await add({ workflowId: id, filters })).toEqual({
      matched: 5,
      enrolled: 4,
      dryRun: false,
      skipped: [{ reason: 'ALREADY_ENROLLED', count: 1 }],
    });
    const subscriberIds = [
      await fixture.subscriber('new@example.com'),
      newId('sub'),
      'nonsense',
      await otherTenant(fixture),
    ];
    expect(await add({ workflowId: id, subscriberIds })).toMatchObject({
      matched: 4,
      enrolled: 1,
      skipped: [{ reason: 'NOT_FOUND', count: 3 }],
    });
    await fixture.harness.data('unsubscribe', { email: 'some-4@example.com' }, fixture.tenant);
    expect(await add({ workflowId: id, query: 'some-4', status: 'UNSUBSCRIBED' })).toMatchObject({
      matched: 1,
      enrolled: 0,
      skipped: [{ reason: 'NOT_SUBSCRIBED', count: 1 }],
    });
    expect((await fixture.get(id)).stats).toMatchObject({
      enrolled: 6,
      skipped: [
        { reason: 'ALREADY_ENROLLED', count: 1 },
        { reason: 'NOT_FOUND', count: 3 },
        { reason: 'NOT_SUBSCRIBED', count: 1 },
      ],
    });
  });

  it('enrols more than 500 in the background, once, and shows the counts', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(620, 'many');
    await fixture.enrol(id, 'many-7@example.com');
    const { jobId, ...answer } = await add({ workflowId: id, query: 'many-' });
    expect(answer).toEqual({ matched: 620, status: 'RUNNING', dryRun: false });
    expect((await fixture.get(id)).enrolments).toMatchObject([{ jobId, status: 'RUNNING', matched: 620, enrolled: 0 }]);
    await fixture.run();
    const skipped = [{ reason: 'ALREADY_ENROLLED', count: 1 }];
    expect(await fixture.get(id)).toMatchObject({
      activeSubscribers: 620,
      enrolments: [{ jobId, status: 'DONE', enrolled: 619, skipped }],
      stats: { skipped },
    });
  });

  it.each([
    [3, 'at once'],
    [501, 'in the background'],
  ])('counts whose address is marked among the skipped, of %i %s', async (people) => {
    const id = await fixture.live(waiting());
    const tag = `marked-${people}`;
    await fakeServices(people, tag);
    await fixture.harness
      .dataSource('subscriber')
      .query(`update subscriber set hard_bounced_at = now() where email = $1`, [`${tag}-1@example.com`]);
    await add({ workflowId: id, query: `${tag}-` });
    await fixture.run();
    const skipped = [{ reason: 'NOT_SUBSCRIBED', count: 1 }];
    expect((await fixture.get(id)).stats).toMatchObject({ enrolled: people - 1, skipped });
  });

  it('goes on in the background after something went wrong elsewhere for a moment', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(501, 'patient');
    await add({ workflowId: id, query: 'patient-' });
    const trouble = () => Promise.reject(new RemoteFailure({ code: 'INTERNAL', message: 'Something went wrong' }));
    await expect(drain(fixture.claimOf('enrolments', trouble))).rejects.toThrow('Something went wrong');
    expect((await fixture.get(id)).enrolments).toMatchObject([{ status: 'RUNNING' }]);
    await fixture.harness.dataSource('workflow').query(`update enrolment_job set until = '-infinity'`);
    await fixture.run();
    expect((await fixture.get(id)).enrolments).toMatchObject([{ status: 'DONE', enrolled: 501, skipped: [] }]);
  });

  it('refuses wrong filters, WORKFLOW_NOT_ACTIVE, STEP_NOT_FOUND and another organization’s workflow', async () => {
    const id = await fixture.live(waiting());
    const { id: draft } = await fixture.create();
    const wrong = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['nobody-has-it'] }];
    expect(await fixture.refusal('add_subscribers_to_workflow', { workflowId: id, filters: wrong })).toBe(
      'FILTERS_INVALID',
    );
    expect(await fixture.refusal('add_subscribers_to_workflow', { workflowId: draft })).toBe('WORKFLOW_NOT_ACTIVE');
    expect(await fixture.refusal('add_subscribers_to_workflow', { workflowId: id, stepId: 'nowhere' })).toBe(
      'STEP_NOT_FOUND',
    );
    expect(await fixture.refusal('add_subscribers_to_workflow', { workflowId: id }, fixture.otherTenant)).toBe(
      'WORKFLOW_NOT_FOUND',
    );
    await fixture.tags('soon gone');
    const named = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_NONE', tagNames: ['soon gone'] }];
    const input = { name: 'Broken', filters: named };
    const { segmentId } = await fixture.harness
      .data<{ segmentId?: string; segment: { id: string } }>('create_segment', input, fixture.tenant)
      .then(({ segment }) => ({ segmentId: segment.id }));
    const sql = fixture.harness.dataSource('subscriber');
    const filters = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId }];
    await sql.query(`update tag set deleted_at = clock_timestamp() where name = 'soon gone'`);
    expect(await fixture.refusal('add_subscribers_to_workflow', { workflowId: id, filters })).toBe(
      'FILTER_TARGET_GONE',
    );
    const cycle = [{ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId }];
    await sql.query(`update segment set filters = $1 where name = 'Broken'`, [JSON.stringify(cycle)]);
    expect(await fixture.refusal('add_subscribers_to_workflow', { workflowId: id, filters })).toBe('SEGMENT_CYCLE');
  });

  it('enrols hundreds of people with hundreds of custom fields, at once and as a job', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(400, 'wide');
    await fakeServices(600, 'wider');
    // As they were made before there was a limit.
    const sql = fixture.harness.dataSource('subscriber');
    const organizationId = uuidOf('org', fixture.tenant.organizationId);
    await sql.query(
      `insert into custom_field (organization_id, field_id, name, name_key)
       select $1, gen_random_uuid(), 'field ' || n, 'field ' || n from generate_series(1, 583) n`,
      [organizationId],
    );
    await sql.query(
      `update subscriber set custom = (select jsonb_object_agg(field_id::text, repeat('x', 60)) from custom_field where organization_id = $1)
       where organization_id = $1 and email like 'wide%'`,
      [organizationId],
    );
    expect(await add({ workflowId: id, query: 'wide-' })).toMatchObject({ matched: 400, enrolled: 400 });
    const { jobId } = await add({ workflowId: id, query: 'wider-' });
    expect(jobId).toMatch(/^job_/);
    await fixture.run();
    expect((await fixture.get(id)).activeSubscribers).toBe(1_000);
  });
});
