import { describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { exportWorker } from '../exports.js';
import { organization } from '../subscriber-fixture.js';

describe('list_subscriber_exports', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const list = async (tenant: Tenant) =>
    (await harness.data<{ exports: { exportId: string; status: string }[] }>('list_subscriber_exports', {}, tenant))
      .exports;

  it('lists the ten newest exports of its organization, newest first, with their progress', async () => {
    expect(await list(tenant)).toEqual([]);
    const ids: string[] = [];
    for (let i = 0; i < 11; i++) {
      const { exportId } = await harness.data<{ exportId: string }>('create_subscriber_export', {}, tenant);
      ids.unshift(exportId);
      // At most ten are open at a time.
      if (i === 0) await exportWorker(harness).writeNext();
    }
    expect((await list(tenant)).map(({ exportId }) => exportId)).toEqual(ids.slice(0, 10));
    for (let i = 0; i < 9; i++) await exportWorker(harness).writeNext();
    const states = await list(tenant);
    expect(states.map(({ status }) => status)).toEqual(['QUEUED', ...Array<string>(9).fill('DONE')]);
    expect(states[1]).toMatchObject({ downloadUrl: expect.stringContaining('/d/'), progress: 1 });
    expect(await list(otherTenant)).toEqual([]);
  });
});
