import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { errorsOf, importOf, importWorker, uploaded, workOff } from '../imports.js';
import { organization } from '../subscriber-fixture.js';

describe('cancel_subscriber_import', () => {
  let harness: Harness;
  let tenant: Tenant;
  const refusal = (importId: string, by = tenant) => harness.refusal('cancel_subscriber_import', { importId }, by);
  const lines = Array.from({ length: 2_500 }, (_, n) => (n === 7 ? 'no address' : `c${n}@example.com`));
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  it('stops a run after its batch, keeps what was imported and its refused rows, and deletes the file', async () => {
    const importId = await uploaded(harness, tenant, ['email', ...lines].join('\n'));
    await harness.data('start_subscriber_import', { importId }, tenant);
    await importWorker(harness).workNext(1);
    await harness.data('cancel_subscriber_import', { importId }, tenant);
    await workOff(harness);
    expect(await importOf(harness, tenant, importId)).toMatchObject({
      state: 'CANCELED',
      done: 1_000,
      imported: 999,
      failed: 1,
    });
    expect(await harness.data('count_subscribers', {}, tenant)).toMatchObject({ total: 999 });
    expect(await errorsOf(harness, tenant, importId)).toHaveLength(2);
    const pieces = await harness
      .dataSource('subscriber')
      .query(`select from subscriber_import_piece where import_id = $1`, [uuidOf('imp', importId)]);
    expect(pieces).toEqual([]);
  });

  it('refuses one that has ended with IMPORT_STATE', async () => {
    const importId = await uploaded(harness, tenant, 'email\na@example.com');
    await harness.data('cancel_subscriber_import', { importId }, tenant);
    expect(await refusal(importId)).toBe('IMPORT_STATE');
  });

  it('refuses an unknown import and one of another organization with IMPORT_NOT_FOUND', async () => {
    const importId = await uploaded(harness, tenant, 'email\na@example.com');
    expect(await refusal(importId, await organization(harness))).toBe('IMPORT_NOT_FOUND');
    expect(await refusal(newId('imp'))).toBe('IMPORT_NOT_FOUND');
    expect(await importOf(harness, tenant, importId)).toMatchObject({ state: 'UPLOADED' });
  });
});
