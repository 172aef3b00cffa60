import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { deadLetter, organization } from '../dead-letters.js';

describe('retry_dead_letters', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());
  const retry = (choice: object) => harness.data('retry_dead_letters', choice, tenant);
  const statusOf = async (email: string) =>
    (await harness.data<{ subscriber: { status: string } }>('get_subscriber', { email }, tenant)).subscriber.status;

  it('applies an event once; one that fails again stays with its new error', async () => {
    const sound = await deadLetter(harness, tenant, { service: 'subscriber', email: 'ada@example.com' });
    const broken = await deadLetter(harness, tenant, { service: 'domain', email: 'bob@example.com' });
    expect(await retry({ ids: [sound, broken] })).toMatchObject({
      retried: 1,
      failed: [{ id: broken, service: 'domain', attempts: 6, error: expect.stringContaining('no handler') }],
    });
    expect(await statusOf('ada@example.com')).toBe('COMPLAINED');
    expect(await harness.data('get_dead_letter', { id: sound }, tenant)).toMatchObject({
      deadLetter: { state: 'RETRIED' },
    });
    expect(await harness.refusal('retry_dead_letters', { ids: [sound] }, tenant)).toBe('DEAD_LETTER_NOT_FOUND');
  });

  it('applies all of one service, and none of another organization', async () => {
    await deadLetter(harness, tenant, { service: 'subscriber', email: 'cy@example.com' });
    const foreign = await deadLetter(harness, otherTenant, { service: 'subscriber', email: 'dan@example.com' });
    expect(await retry({ service: 'subscriber' })).toEqual({ retried: 1, failed: [] });
    expect(await statusOf('cy@example.com')).toBe('COMPLAINED');
    expect(await harness.data('get_dead_letter', { id: foreign }, otherTenant)).toMatchObject({
      deadLetter: { state: 'OPEN' },
    });
    expect(await harness.refusal('retry_dead_letters', { ids: [foreign] }, tenant)).toBe('DEAD_LETTER_NOT_FOUND');
  });

  it('refuses unknown ids, and both or none of ids and service', async () => {
    const refusal = (choice: object) => harness.refusal('retry_dead_letters', choice, tenant);
    expect(await refusal({ ids: [newId('dlt')] })).toBe('DEAD_LETTER_NOT_FOUND');
    expect(await refusal({})).toBe('PARAMETERS_INVALID');
    expect(await refusal({ ids: [newId('dlt')], service: 'domain' })).toBe('PARAMETERS_INVALID');
  });
});
