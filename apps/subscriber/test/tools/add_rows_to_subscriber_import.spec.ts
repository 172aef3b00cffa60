import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importBytesMax, importJobRowsMax } from '#contracts';
import { newId, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { imported, upload, uploaded } from '../imports.js';
import type { ImportState } from '../imports.js';
import { organization } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('add_rows_to_subscriber_import', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  let importId: string;
  const add = (rows: object[], id = importId) =>
    harness.data<{ import: ImportState }>('add_rows_to_subscriber_import', { importId: id, rows }, tenant);
  const refusal = (input: object, by = tenant) => harness.refusal('add_rows_to_subscriber_import', input, by);
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    ({
      import: { id: importId },
    } = await harness.data<{ import: ImportState }>('create_subscriber_import', {}, tenant));
  });
  afterAll(() => harness.stop());

  it('keeps rows of several calls, whose columns the first call names', async () => {
    const first = [
      { email: 'a@example.com', city: 'São Paulo, "SP"', visits: 3 },
      { email: 'b@example.com', vip: true, city: null },
    ];
    const { import: state } = await add(first);
    expect(state).toMatchObject({ state: 'UPLOADED' });
    expect(state.receivedBytes).toBeGreaterThan(0);
    await add([{ email: 'c@example.com', city: 'line one\nline two' }]);
    expect(await refusal({ importId, rows: [{ email: 'd@example.com', town: 'Bern' }] })).toBe('PARAMETERS_INVALID');
    expect(await imported(harness, tenant, importId)).toMatchObject({ state: 'DONE', imported: 3, failed: 0 });
    const fieldsOf = async (email: string) =>
      (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, tenant)).subscriber.customFields;
    expect(await fieldsOf('a@example.com')).toEqual({ city: 'São Paulo, "SP"', visits: '3' });
    expect(await fieldsOf('b@example.com')).toEqual({ vip: 'true' });
    expect(await fieldsOf('c@example.com')).toEqual({ city: 'line one\nline two' });
  });

  it('refuses with IMPORT_STATE an import that has ended or takes a file, and a file where there are rows', async () => {
    const rows = [{ email: 'x@example.com' }];
    expect(await refusal({ importId, rows })).toBe('IMPORT_STATE');
    const ofFile = await uploaded(harness, tenant, 'email\na@example.com');
    expect(await refusal({ importId: ofFile, rows })).toBe('IMPORT_STATE');
    const { import: ofRows } = await harness.data<{ import: ImportState }>('create_subscriber_import', {}, tenant);
    await add(rows, ofRows.id);
    await expect(upload(harness, tenant, ofRows.id, '')).rejects.toMatchObject({ failure: { reason: 'IMPORT_STATE' } });
  });

  it('refuses with IMPORT_NOT_FOUND an unknown import and one of another organization', async () => {
    const rows = [{ email: 'x@example.com' }];
    expect(await refusal({ importId: newId('imp'), rows })).toBe('IMPORT_NOT_FOUND');
    expect(await refusal({ importId, rows }, otherTenant)).toBe('IMPORT_NOT_FOUND');
  });

  it('refuses with IMPORT_TOO_LARGE more rows or bytes than an import has, and more rows than a call has', async () => {
    const { import: large } = await harness.data<{ import: ImportState }>('create_subscriber_import', {}, tenant);
    const set = (change: string, value: number) =>
      harness
        .dataSource('subscriber')
        .query(`update subscriber_import set ${change} = $2 where import_id = $1`, [uuidOf('imp', large.id), value]);
    const rows = [{ email: 'x@example.com' }];
    await set('rows_added', importJobRowsMax);
    expect(await refusal({ importId: large.id, rows })).toBe('IMPORT_TOO_LARGE');
    await set('rows_added', 0);
    await set('received_bytes', importBytesMax - 5);
    expect(await refusal({ importId: large.id, rows })).toBe('IMPORT_TOO_LARGE');
    expect(await refusal({ importId: large.id, rows: Array.from({ length: 2_001 }, () => rows[0]) })).toBe(
      'PARAMETERS_INVALID',
    );
  });
});
