import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { DeadLetterRepository } from '#events';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { deadLetter, organization } from '../dead-letters.js';

describe('discard_dead_letters', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());
  const reason = 'a test campaign';

  it('asks with the number, discards them, and keeps their payload for 30 days', async () => {
    const ids = [
      await deadLetter(harness, tenant, { service: 'subscriber', email: 'ada@example.com' }),
      await deadLetter(harness, tenant, { service: 'delivery', email: 'bob@example.com' }),
    ];
    expect(await harness.describe('discard_dead_letters', { ids, reason }, tenant)).toMatchObject({
      data: { action: 'Discard the dead letters', message: expect.stringContaining('2 events') },
    });
    expect(await harness.data('discard_dead_letters', { ids, reason }, tenant)).toEqual({ discarded: 2 });
    expect(await harness.data('list_dead_letters', {}, tenant)).toMatchObject({ total: 0 });
    const kept = () => harness.data('get_dead_letter', { id: ids[0] }, tenant);
    expect(await kept()).toMatchObject({
      deadLetter: {
        state: 'DISCARDED',
        error: expect.stringMatching(/^Discarded: a test campaign\nError: no room/),
        payload: { data: { email: 'ada@example.com' } },
      },
    });
    expect(await harness.data('retry_dead_letters', { service: 'subscriber' }, tenant)).toMatchObject({ retried: 0 });
    const { manager } = harness.dataSource('subscriber');
    const deleteOld = (days: number) =>
      new DeadLetterRepository(manager).deleteOld(new Date(Date.now() + days * 86_400_000));
    await deleteOld(29);
    expect(await kept()).toMatchObject({ deadLetter: { state: 'DISCARDED' } });
    await deleteOld(31);
    expect(await harness.refusal('get_dead_letter', { id: ids[0] }, tenant)).toBe('DEAD_LETTER_NOT_FOUND');
  });

  it('refuses unknown ids and those of another organization with DEAD_LETTER_NOT_FOUND, and discards none then', async () => {
    const id = await deadLetter(harness, tenant, { service: 'subscriber', email: 'cy@example.com' });
    const refusal = (ids: string[], by: Tenant) => harness.refusal('discard_dead_letters', { ids, reason }, by);
    expect(await refusal([id, newId('dlt')], tenant)).toBe('DEAD_LETTER_NOT_FOUND');
    expect(await refusal([id], otherTenant)).toBe('DEAD_LETTER_NOT_FOUND');
    expect(await harness.data('get_dead_letter', { id }, tenant)).toMatchObject({ deadLetter: { state: 'OPEN' } });
  });
});
