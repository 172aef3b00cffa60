import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { deadLetter, organization } from '../dead-letters.js';

describe('get_dead_letter', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  it('returns a dead letter of any service with the payload of its event', async () => {
    const id = await deadLetter(harness, tenant, { service: 'campaign', email: 'ada@example.com' });
    expect(await harness.data('get_dead_letter', { id }, tenant)).toMatchObject({
      deadLetter: {
        id,
        service: 'campaign',
        state: 'OPEN',
        payload: { name: 'message.complained', data: { email: 'ada@example.com' } },
      },
    });
  });

  it('refuses unknown ones and those of another organization with DEAD_LETTER_NOT_FOUND', async () => {
    const id = await deadLetter(harness, tenant, { service: 'workflow', email: 'bob@example.com' });
    expect(await harness.refusal('get_dead_letter', { id: newId('dlt') }, tenant)).toBe('DEAD_LETTER_NOT_FOUND');
    expect(await harness.refusal('get_dead_letter', { id }, otherTenant)).toBe('DEAD_LETTER_NOT_FOUND');
  });
});
