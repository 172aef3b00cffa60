import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import type { ImportState } from '../imports.js';
import { organization } from '../subscriber-fixture.js';

describe('create_subscriber_import', () => {
  let harness: Harness;
  let tenant: Tenant;
  const create = (input: object = {}, by = tenant) =>
    harness.data<{ import: ImportState; uploadUrl: string }>('create_subscriber_import', input, by);
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  it('creates an import that waits for its file, and returns where the file is sent', async () => {
    const { import: created, uploadUrl } = await create({ name: ' May ', delimiter: ';', encoding: 'windows-1252' });
    expect(created).toMatchObject({
      id: expect.stringMatching(/^imp_/),
      name: 'May',
      state: 'NEW',
      receivedBytes: 0,
      rows: null,
      done: 0,
      startedBy: null,
    });
    expect(uploadUrl).toBe(`http://localhost:3000/api/v2/imports/${created.id}/file`);
  });

  it('refuses a delimiter, an encoding and a parameter that it does not know', async () => {
    for (const input of [{ delimiter: 'x' }, { encoding: 'ebcdic' }, { file: 'x' }])
      expect(await harness.refusal('create_subscriber_import', input, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('refuses a fourth open import with IMPORTS_TOO_MANY, also to callers at once, and counts no other organization', async () => {
    const own = await organization(harness);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => harness.call('create_subscriber_import', {}, own)),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(3);
    expect(await harness.refusal('create_subscriber_import', {}, own)).toBe('IMPORTS_TOO_MANY');
    await create({}, await organization(harness));
    const { imports } = await harness.data<{ imports: ImportState[] }>('list_subscriber_imports', {}, own);
    await harness.data('cancel_subscriber_import', { importId: imports[0]!.id }, own);
    await create({}, own);
  });
});
