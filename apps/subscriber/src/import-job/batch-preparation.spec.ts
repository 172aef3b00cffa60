import { afterAll, describe, expect, it } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { prepareBatch } from './batch-preparation.js';
import type { PreparationRequest } from './batch-preparation.js';
import { BatchPreparation } from './batch-preparation.service.js';

const rowOf = (n: number): string[] => {
  if (n % 50 === 0) return ['wrong', 'A', '', ''];
  return [`p${n % 300}@example.com`, n % 3 ? `Name ${n}` : '', n % 7 ? String(n) : '', n % 5 ? 'old; vip' : ''];
};

const request: PreparationRequest = {
  columns: [
    { at: 0, column: 'email', to: 'email' },
    { at: 1, column: 'name', to: 'name' },
    { at: 2, column: 'number', to: 'field', field: 'number', type: 'TEXT' },
    { at: 3, column: 'tags', to: 'tags' },
  ],
  columnCount: 4,
  options: { emptyCells: 'CLEAR', tags: ['all'], mode: 'CREATE_AND_UPDATE' },
  zone: 'Europe/Paris',
  records: [
    { line: 2, problem: 'A quote is opened and never closed.' },
    ...Array.from({ length: 900 }, (_, n) => ({ line: n + 3, cells: rowOf(n) })),
  ],
};

describe('the preparation of a batch', () => {
  const preparation = new BatchPreparation(environmentFor('').IMPORT_THREAD_URL);
  afterAll(() => preparation.stop());

  it('says on its thread what it says in place', async () => {
    const inPlace = prepareBatch(request);
    const onThread = await preparation.run('org', request);
    expect(inPlace.inputs).toHaveLength(300 - 6);
    expect(inPlace.refused).toHaveLength(1 + 18);
    expect(onThread).toEqual(inPlace);
    for (const [key, records] of onThread.recordsOf)
      for (const [n, record] of records.entries()) expect(record).toBe(inPlace.recordsOf.get(key)![n]);
    expect([...onThread.recordsOf.keys()]).toEqual([...inPlace.recordsOf.keys()]);
  });
});
