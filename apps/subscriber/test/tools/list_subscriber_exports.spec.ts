import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { exportWorker } from '../exports.js';
import { organization } from '../subscriber-fixture.js';

describe('list_subscriber_exports', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  const list = async (tenant: Tenant) =>
    (await tidings.data<{ exports: { exportId: string; status: string }[] }>('list_subscriber_exports', {}, tenant))
      .exports;
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it('lists the ten newest, newest first, with how far they are, and nobody else’s', async () => {
    expect(await list(ours)).toEqual([]);
    const ids: string[] = [];
    for (let i = 0; i < 11; i++) {
      const { exportId } = await tidings.data<{ exportId: string }>('create_subscriber_export', {}, ours);
      ids.unshift(exportId);
      // At most ten are open at a time.
      if (i === 0) await exportWorker(tidings).writeNext();
    }
    expect((await list(ours)).map(({ exportId }) => exportId)).toEqual(ids.slice(0, 10));
    for (let i = 0; i < 9; i++) await exportWorker(tidings).writeNext();
    const states = await list(ours);
    expect(states.map(({ status }) => status)).toEqual(['QUEUED', ...Array<string>(9).fill('DONE')]);
    expect(states[1]).toMatchObject({ downloadUrl: expect.stringContaining('/d/'), progress: 1 });
    expect(await list(theirs)).toEqual([]);
  });
});
