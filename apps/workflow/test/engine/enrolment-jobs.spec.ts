import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { uuidOf } from '#database';
import { until } from '#testing';
import { drain } from '../../src/engine/loop/work-item.js';
import { BacklogRepository } from '../../src/metrics/backlog.repository.js';
import { waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

const fakeServices = async (count: number, tag: string) => {
  const subscribers = Array.from({ length: count }, (_, n) => ({ email: `${tag}-${n}@example.com`, tags: [tag] }));
  for (let from = 0; from < count; from += 500)
    await fixture.harness.data(
      'import_subscribers',
      { subscribers: subscribers.slice(from, from + 500) },
      fixture.tenant,
    );
};
const taggedWith = (tag: string) => [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }];
const add = (workflowId: string, tag: string) =>
  fixture.harness.data<{ jobId: string }>(
    'add_subscribers_to_workflow',
    { workflowId, filters: taggedWith(tag) },
    fixture.tenant,
  );
/** Addresses that audiences of the organization still hold. */
const addressesHeld = async (): Promise<number> => {
  const [row]: { n: number }[] = await fixture.harness
    .dataSource('subscriber')
    .query(`select count(*)::int as n from audience_page where organization_id = $1`, [
      uuidOf('org', fixture.tenant.organizationId),
    ]);
  return row!.n;
};
const failedSince = async () =>
  (await new BacklogRepository(fixture.harness.dataSource('workflow')).get()).enrolmentsFailed;
const waitNoMore = () =>
  fixture.harness
    .dataSource('workflow')
    .query(`update enrolment_job set until = '-infinity' where released_at is null`);

/** Makes a request to the service fail by a defect while `work` runs. */
async function failing<T>(question: string, work: () => Promise<T>): Promise<T> {
  const { bus } = fixture.harness;
  const request = bus.request.bind(bus);
  const spy = jest.spyOn(bus, 'request').mockImplementation(async (kind, target, input, caller) => {
    if (target.name !== question) return await request(kind, target, input, caller);
    return { ok: false, error: { code: 'INTERNAL', message: 'Something went wrong' } };
  });
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

describe('an enrolment of many', () => {
  it('ends FAILED with the reason when it is refused permanently', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(501, 'refused');
    const { jobId } = await add(id, 'refused');
    await fixture.harness
      .dataSource('subscriber')
      .query(`update tag set deleted_at = clock_timestamp() where name = 'refused'`);
    const before = await failedSince();
    await fixture.run();
    expect((await fixture.get(id)).enrolments).toMatchObject([
      {
        jobId,
        status: 'FAILED',
        enrolled: 0,
        finishedAt: expect.any(String),
        failure: expect.stringMatching(/^FILTER_TARGET_GONE: ./),
      },
    ]);
    expect(await failedSince()).toBe(before + 1);
    expect(await addressesHeld()).toBe(0);
  });

  it('that a defect stops ends FAILED after some tries, and gives its audience back', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(501, 'defect');
    await add(id, 'defect');
    const claim = fixture.claimOf('enrolments');
    let tries = 0;
    await failing('get_audience_page', async () => {
      while ((await fixture.get(id)).enrolments[0]!.status === 'RUNNING' && tries < 50) {
        await waitNoMore();
        await drain(claim).catch(() => undefined);
        tries += 1;
      }
    });
    expect(tries).toBeGreaterThan(10);
    expect((await fixture.get(id)).enrolments).toMatchObject([
      { status: 'FAILED', failure: 'INTERNAL: Something went wrong', enrolled: 0 },
    ]);
    await waitNoMore();
    await fixture.run();
    expect(await addressesHeld()).toBe(0);
  });

  it('that goes on after a defect begins to count again', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(501, 'patient');
    await add(id, 'patient');
    const claim = fixture.claimOf('enrolments');
    await failing('get_audience_page', async () => {
      for (const _try of [1, 2]) {
        await waitNoMore();
        await drain(claim).catch(() => undefined);
      }
    });
    await waitNoMore();
    await fixture.run();
    expect((await fixture.get(id)).enrolments).toMatchObject([{ status: 'DONE', enrolled: 501 }]);
    expect(await addressesHeld()).toBe(0);
  });

  it('ends FAILED after three days, also without an answer', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(501, 'old');
    await add(id, 'old');
    await fixture.harness
      .dataSource('workflow')
      .query(`update enrolment_job set created_at = created_at - interval '73 hours' where workflow_id = $1`, [
        uuidOf('wf', id),
      ]);
    await fixture.harness.bus.without('subscriber', () => drain(fixture.claimOf('enrolments')).catch(() => 0));
    expect((await fixture.get(id)).enrolments).toMatchObject([
      { status: 'FAILED', failure: expect.stringMatching(/^ENROLMENT_EXPIRED: /) },
    ]);
  });

  it('ends when its workflow is archived, and enrols no more once it is active again', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(501, 'archived');
    await add(id, 'archived');
    const claim = fixture.claimOf('enrolments');
    // Its audience is frozen, and half a page is enrolled.
    await until('half a page is enrolled', async () => {
      await drain(claim);
      return (await fixture.get(id)).enrolments[0]!.enrolled === 250;
    });
    expect(await addressesHeld()).toBeGreaterThan(0);
    await fixture.status(id, 'ARCHIVED');
    expect((await fixture.get(id)).enrolments).toMatchObject([
      { status: 'FAILED', enrolled: 250, failure: expect.stringMatching(/^WORKFLOW_ARCHIVED: /) },
    ]);
    await fixture.status(id, 'ACTIVE');
    await fixture.run();
    expect((await fixture.get(id)).activeSubscribers).toBe(0);
    expect(await addressesHeld()).toBe(0);
  });

  it('keeps no filters once it is over, since they may name an address', async () => {
    const sql = fixture.harness.dataSource('workflow');
    const rows: unknown[] = await sql.query(
      `select from enrolment_job where finished_at is not null and filters <> '[]'`,
    );
    expect(rows).toEqual([]);
  });

  it('of few gives its audience back, also when it fails midway', async () => {
    const id = await fixture.live(waiting());
    await fakeServices(3, 'few');
    const outcome = await failing('get_people', () =>
      fixture.harness.call(
        'add_subscribers_to_workflow',
        { workflowId: id, filters: taggedWith('few') },
        fixture.tenant,
      ),
    );
    expect(outcome).toMatchObject({ ok: false });
    expect(await addressesHeld()).toBe(0);
  });
});
