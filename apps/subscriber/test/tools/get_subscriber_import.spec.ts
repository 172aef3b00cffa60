import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { ExportTokens, deriveKey } from '#link-token';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { ImportRepository } from '../../src/import-job/import.repository.js';
import { checked, errorsOf, imported, importOf, uploaded } from '../imports.js';
import { organization } from '../subscriber-fixture.js';

describe('get_subscriber_import', () => {
  let harness: Harness;
  let tenant: Tenant;
  let importId: string;
  const file = ['email,note', 'a@example.com,first', 'no address,=1+1', ',"@SUM(1)"'].join('\n');
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    importId = await uploaded(harness, tenant, file);
  });
  afterAll(() => harness.stop());

  it('shows the result of the last check, then progress and counts, and who started the import', async () => {
    expect(await importOf(harness, tenant, importId)).toMatchObject({ state: 'UPLOADED', check: null, failure: null });
    const state = await checked(harness, tenant, importId);
    expect(state).toMatchObject({ state: 'CHECKED', rows: 3, check: { new: 1, refused: { EMAIL_INVALID: 1 } } });
    expect(state.errorsUrl).toBeUndefined();
    await harness.call('start_subscriber_import', { importId }, tenant, { tokenId: 'tok_1' });
    const done = await imported(harness, tenant, await uploaded(harness, tenant, file));
    expect(done).toMatchObject({ state: 'DONE', rows: 3, done: 3 });
    expect(await importOf(harness, tenant, importId)).toMatchObject({
      state: 'DONE',
      imported: 1,
      failed: 2,
      startedBy: { kind: 'TOKEN', id: 'tok_1' },
    });
  });

  it('shows columns, first rows and the inferred mapping from the upload to the start', async () => {
    const long = 'x'.repeat(300);
    const rows = Array.from({ length: 9 }, (_, n) => `p${n}@example.com,${long}`);
    const id = await uploaded(harness, tenant, ['Email,Note', ...rows].join('\n'));
    const head = {
      columns: ['Email', 'Note'],
      mapping: [
        { column: 'Email', to: 'email' },
        { column: 'Note', to: 'field', field: 'Note' },
      ],
      rows: Array.from({ length: 5 }, (_, n) => [`p${n}@example.com`, long.slice(0, 200)]),
    };
    expect((await importOf(harness, tenant, id)).head).toEqual(head);
    expect((await checked(harness, tenant, id)).head).toEqual(head);
    await harness.call('start_subscriber_import', { importId: id }, tenant);
    expect((await importOf(harness, tenant, id)).head).toBeUndefined();
    expect((await importOf(harness, tenant, await uploaded(harness, tenant, ''))).head).toBeUndefined();
  });

  it('links the refused rows as a file behind line, code and message, safe in a spreadsheet, for 7 days', async () => {
    const { errorsUrl, errorsUrlExpiresAt, finishedAt } = await importOf(harness, tenant, importId);
    const tokens = new ExportTokens(deriveKey(environmentFor('').MASTER_KEY!, 'exports'));
    const link = tokens.open(errorsUrl!.split('/d/')[1]!, new Date(finishedAt!));
    expect(link).toMatchObject({ organizationId: tenant.organizationId, exportId: importId });
    const days = (Date.parse(errorsUrlExpiresAt!) - Date.parse(finishedAt!)) / 86_400_000;
    expect(days).toBeCloseTo(7, 4);
    expect(await errorsOf(harness, tenant, importId)).toEqual([
      'line,code,message,email,note',
      expect.stringMatching(/^3,EMAIL_INVALID,.*,no address,'=1\+1$/),
      "4,EMAIL_MISSING,The row has no address.,,'@SUM(1)",
    ]);
  });

  it('keeps file and refused rows for 7 days after the last change', async () => {
    const imports = new ImportRepository(harness.dataSource('subscriber').manager);
    expect(await imports.deleteOld()).toBe(0);
    await harness
      .dataSource('subscriber')
      .query(`update subscriber_import set changed_at = changed_at - interval '7 days 1 minute' where import_id = $1`, [
        uuidOf('imp', importId),
      ]);
    expect(await imports.deleteOld()).toBe(1);
    expect(await harness.refusal('get_subscriber_import', { importId }, tenant)).toBe('IMPORT_NOT_FOUND');
    for (const table of ['subscriber_import_piece', 'subscriber_import_error_chunk'])
      expect(
        await harness
          .dataSource('subscriber')
          .query(`select from ${table} where import_id = $1`, [uuidOf('imp', importId)]),
      ).toEqual([]);
  });

  it('refuses an unknown import and one of another organization with IMPORT_NOT_FOUND', async () => {
    const other = await organization(harness);
    const theirs = await uploaded(harness, other, file);
    for (const id of [theirs, newId('imp'), 'x'])
      expect(await harness.refusal('get_subscriber_import', { importId: id }, tenant)).toBe('IMPORT_NOT_FOUND');
  });
});
