import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { deriveKey, ExportTokens } from '#link-token';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { ExportRepository } from '../../src/export/export.repository.js';
import { exportWorker, fileOf } from '../exports.js';
import { organization, person } from '../subscriber-fixture.js';

describe('get_subscriber_export', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const create = async () =>
    (await harness.data<{ exportId: string }>('create_subscriber_export', {}, tenant)).exportId;
  const get = (exportId: string) =>
    harness.data<{ downloadUrl: string; expiresAt: string }>('get_subscriber_export', { exportId }, tenant);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    await person(harness, tenant, { email: 'ada@example.com' });
  });

  it('shows an export on its way, and once it is DONE a link that is signed for this file and 24 hours', async () => {
    const exportId = await create();
    const createdAt = expect.stringMatching(/Z$/);
    expect(await get(exportId)).toEqual({ exportId, status: 'QUEUED', rows: 0, progress: 0, createdAt });
    await exportWorker(harness).writeNext();
    const done = await get(exportId);
    expect(done).toMatchObject({ exportId, status: 'DONE', rows: 1, progress: 1 });
    const [base, token] = done.downloadUrl.split('/d/');
    expect(base).toBe('http://localhost:3000');
    const key = deriveKey(environmentFor('').MASTER_KEY!, 'exports');
    const link = new ExportTokens(key).open(token!, new Date());
    expect(link).toMatchObject({ organizationId: tenant.organizationId, exportId });
    expect(link!.expiresAt.toISOString()).toBe(done.expiresAt);
    const hours = (Date.parse(done.expiresAt) - Date.now()) / 3_600_000;
    expect(hours > 23.9 && hours <= 24).toBe(true);
  });

  it('keeps the file for 7 days; then it is as if it had never been', async () => {
    const exportId = await create();
    await exportWorker(harness).writeNext();
    const exports = new ExportRepository(harness.dataSource('subscriber').manager);
    const age = (days: number) =>
      harness
        .dataSource('subscriber')
        .query(`update export set finished_at = now() - make_interval(days => $2) where export_id = $1`, [
          ...[uuidOf('exp', exportId), days],
        ]);
    await age(6);
    expect(await exports.deleteOld()).toBe(0);
    expect(await fileOf(harness, tenant, exportId)).toContain('ada@example.com');
    await age(8);
    expect(await fileOf(harness, tenant, exportId)).toBeNull();
    expect(await exports.deleteOld()).toBe(1);
    expect(await harness.refusal('get_subscriber_export', { exportId }, tenant)).toBe('EXPORT_NOT_FOUND');
    expect(await exports.findChunk(tenant.organizationId, exportId, 0)).toBeNull();
  });

  it('leaves no file for longer, however many there are', async () => {
    const manager = harness.dataSource('subscriber').manager;
    await manager.query(
      `insert into export (organization_id, export_id, request, state, created_at, finished_at)
       select $1, gen_random_uuid(), '{}', 'DONE', now() - interval '9 days', now() - interval '8 days' from generate_series(1, 250)`,
      [uuidOf('org', tenant.organizationId)],
    );
    const exports = new ExportRepository(manager);
    let deleted = 0;
    for (let some = await exports.deleteOld(); some > 0; some = await exports.deleteOld()) deleted += some;
    expect(deleted).toBe(250);
  });

  it('fails an export that meets a defect time and again, but not at the first', async () => {
    const exportId = await create();
    const { manager } = harness.dataSource('subscriber');
    const begun = (times: number) =>
      manager.query(`update export set state = 'QUEUED', request = '{"tagId":null}', fence = $2 where export_id = $1`, [
        ...[uuidOf('exp', exportId), times],
      ]);
    await begun(0);
    await expect(exportWorker(harness).writeNext()).rejects.toThrow(TypeError);
    expect(await get(exportId)).toMatchObject({ status: 'RUNNING' });
    await begun(19);
    await exportWorker(harness).writeNext();
    const failure = 'The file could not be written because of a defect on our side.';
    expect(await get(exportId)).toMatchObject({ status: 'FAILED', failure });
  });

  it('keeps the file that another process wrote when the one before it fails late', async () => {
    const exportId = await create();
    const { manager } = harness.dataSource('subscriber');
    const exports = new ExportRepository(manager);
    const owner = randomUUID();
    const late = (await exports.claim(owner))!;
    await manager.query(`update export set until = now() where export_id = $1`, [uuidOf('exp', exportId)]);
    await exportWorker(harness).writeNext();
    await exports.updateFinished(late, owner, 'Too slow.');
    expect(await get(exportId)).toMatchObject({ status: 'DONE' });
    expect(await fileOf(harness, tenant, exportId)).toContain('ada@example.com');
  });

  it('refuses unknown and foreign exports with EXPORT_NOT_FOUND', async () => {
    const exportId = await create();
    expect(await harness.refusal('get_subscriber_export', { exportId }, otherTenant)).toBe('EXPORT_NOT_FOUND');
    for (const unknown of [newId('exp'), 'nonsense'])
      expect(await harness.refusal('get_subscriber_export', { exportId: unknown }, tenant)).toBe('EXPORT_NOT_FOUND');
  });
});
