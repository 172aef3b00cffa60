import { beforeAll, describe, expect, it } from '@jest/globals';
import { newUuid, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

describe('delete_segment', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  const create = async (name: string, filters: object[] = [], by = tenant) =>
    (await harness.data<{ segmentId: string }>('create_segment', { name, filters }, by)).segmentId;
  const remove = (segmentId: string) => harness.data('delete_segment', { segmentId }, tenant);
  const refused = async (segmentId: string) => {
    const [asked, told] = [
      await harness.call('delete_segment', { segmentId }, tenant),
      await harness.describe('delete_segment', { segmentId }, tenant),
    ];
    expect(told).toEqual(asked);
    return asked.ok ? null : asked.error;
  };
  beforeAll(async () => {
    tenant = await organization(harness);
    await person(harness, tenant, { email: 'a@example.com' });
  });

  it('describes its effect, then deletes the segment and no subscriber in it', async () => {
    const segmentId = await create('Gone soon');
    expect(await harness.describe('delete_segment', { segmentId }, tenant)).toMatchObject({
      data: { action: 'Delete the segment', message: expect.stringContaining('"Gone soon"') },
    });
    expect(await remove(segmentId)).toEqual({ deleted: true });
    expect(await harness.data('count_subscribers', {}, tenant)).toEqual({ total: 1 });
    expect(await harness.refusal('delete_segment', { segmentId }, tenant)).toBe('SEGMENT_NOT_FOUND');
  });

  it('answers SEGMENT_NOT_FOUND for a segment of another organization', async () => {
    const segmentId = await create('Theirs', [], await organization(harness));
    expect(await refused(segmentId)).toMatchObject({ reason: 'SEGMENT_NOT_FOUND', code: 'NOT_FOUND' });
  });

  it('refuses with SEGMENT_IN_USE while another segment includes or excludes it, naming that one', async () => {
    const segmentId = await create('Inside');
    const user = await create('Around', [{ type: 'SEGMENT', operator: 'EXCLUDE', segmentId }]);
    expect(await refused(segmentId)).toMatchObject({
      reason: 'SEGMENT_IN_USE',
      code: 'CONFLICT',
      message: expect.stringContaining(`"Around" (${user})`),
    });
    await remove(user);
    await remove(segmentId);
  });

  it('refuses with SEGMENT_IN_USE while a scheduled campaign goes to it', async () => {
    const segmentId = await create('Readers');
    const { campaignId } = await harness.data<{ campaignId: string }>(
      'create_campaign',
      { name: 'Spring', subject: 'Hello' },
      tenant,
    );
    const filters = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId }];
    await harness.data('update_campaign_filters', { campaignId, filters }, tenant);
    await harness.data('schedule_campaign', { campaignId, date: '2037-01-01' }, tenant);
    expect(await refused(segmentId)).toMatchObject({ message: expect.stringContaining(`"Spring" (${campaignId})`) });
    await harness.data('cancel_campaign_schedule', { campaignId }, tenant);
    await remove(segmentId);
  });

  it('refuses with SEGMENT_IN_USE while an active workflow asks for it', async () => {
    const segmentId = await create('Travellers');
    const [org, workflow] = [uuidOf('org', tenant.organizationId), newUuid()];
    const graph = { steps: [{ id: 'c', type: 'CONDITION', config: { filters: [{ type: 'SEGMENT', segmentId }] } }] };
    const workflows = harness.dataSource('workflow');
    await workflows.query(
      `insert into workflow (organization_id, workflow_id, name, status, draft, settings, success_goals, published_version, updated_at)
       values ($1, $2, 'Trip', 'ACTIVE', '{}', '{}', '[]', 1, now())`,
      [org, workflow],
    );
    await workflows.query(`insert into workflow_version values ($1, $2, 1, $3, '{}', '[]', '{}', now())`, [
      ...[org, workflow, graph],
    ]);
    expect(await refused(segmentId)).toMatchObject({ message: expect.stringContaining('the workflow "Trip"') });
    await workflows.query(`update workflow set status = 'PAUSED'`);
    await remove(segmentId);
  });

  it('is not deleted while its usage cannot be checked', async () => {
    const segmentId = await create('Kept');
    const refusal = () => harness.refusal('delete_segment', { segmentId }, tenant);
    expect(await harness.bus.without('workflow', refusal)).toBe('SERVICE_UNAVAILABLE');
    await remove(segmentId);
  });

  it('and a segment that is to include it are never both saved', async () => {
    for (const round of [1, 2, 3, 4]) {
      const segmentId = await create(`Wanted ${round}`);
      const filters = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId }];
      const outcomes = await Promise.all([
        harness.call('delete_segment', { segmentId }, tenant),
        harness.call('create_segment', { name: `Wanting ${round}`, filters }, tenant),
      ]);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    }
  });
});
