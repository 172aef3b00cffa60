import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import type { ImportState } from '../imports.js';
import { organization } from '../subscriber-fixture.js';

describe('list_subscriber_imports', () => {
  let harness: Harness;
  let tenant: Tenant;
  const ids: string[] = [];
  const list = (input: object = {}, by = tenant) =>
    harness.data<{ imports: ImportState[]; nextCursor: string | null }>('list_subscriber_imports', input, by);
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    for (let n = 0; n < 5; n++) {
      const { import: made } = await harness.data<{ import: ImportState }>('create_subscriber_import', {}, tenant);
      await harness.data('cancel_subscriber_import', { importId: made.id }, tenant);
      ids.unshift(made.id);
    }
  });
  afterAll(() => harness.stop());

  it('lists the newest first, in pages', async () => {
    const first = await list({ limit: 3 });
    expect(first.imports.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const rest = await list({ limit: 3, cursor: first.nextCursor! });
    expect(rest).toMatchObject({ imports: ids.slice(3).map((id) => ({ id })), nextCursor: null });
  });

  it('shows nothing of another organization, also with its cursor', async () => {
    const other = await organization(harness);
    expect(await list({}, other)).toEqual({ imports: [], nextCursor: null });
    expect(await list({ cursor: ids[0]! }, other)).toEqual({ imports: [], nextCursor: null });
  });
});
