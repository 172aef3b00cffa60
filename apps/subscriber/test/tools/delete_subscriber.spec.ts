import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { mark, organization, person } from '../subscriber-fixture.js';

describe('delete_subscriber', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  it('states in its question whom it deletes, and deletes nothing by that', async () => {
    const { id, email } = await person(harness, tenant, { email: 'asked@example.com' });
    expect(await harness.describe('delete_subscriber', { subscriberId: id }, tenant)).toMatchObject({
      data: { action: 'Delete the subscriber', message: expect.stringContaining(email) },
    });
    expect(await harness.data('get_subscriber', { email }, tenant)).toMatchObject({ subscriber: { id } });
  });

  it('deletes the subscriber and announces it to the services that erase their part', async () => {
    const { id, email } = await person(harness, tenant, { email: 'gone@example.com', tags: ['leaving'] });
    await harness.deliverEvents();
    expect(await harness.data('delete_subscriber', { email }, tenant)).toEqual({
      deleted: true,
      id,
      keptSuppressions: [],
    });
    expect(await harness.deliverEvents()).toContainEqual(
      expect.objectContaining({ name: 'subscriber.deleted', data: expect.objectContaining({ subscriberId: id }) }),
    );
    expect(await harness.refusal('delete_subscriber', { subscriberId: id }, tenant)).toBe('SUBSCRIBER_NOT_FOUND');
  });

  it('keeps suppressions of the address, which a new subscriber with it gets again', async () => {
    const complained = await person(harness, tenant, { email: 'spam@example.com' });
    await mark(harness, complained, 'complained');
    const left = await person(harness, tenant, { email: 'left@example.com' });
    await harness.data('unsubscribe', { subscriberId: left.id }, tenant);
    const remove = (subscriberId: string) => harness.data('delete_subscriber', { subscriberId }, tenant);
    expect(await remove(complained.id)).toMatchObject({ keptSuppressions: ['COMPLAINED'] });
    expect(await remove(left.id)).toMatchObject({ keptSuppressions: ['UNSUBSCRIBED'] });
    expect(await person(harness, tenant, { email: 'spam@example.com' })).toMatchObject({ status: 'COMPLAINED' });
  });

  it('refuses no identifier, two that disagree, and subscribers of another organization', async () => {
    const one = await person(harness, tenant, { email: 'one@example.com' });
    const two = await person(harness, tenant, { email: 'two@example.com' });
    const refusal = (who: object, by = tenant) => harness.refusal('delete_subscriber', who, by);
    expect(await refusal({})).toBe('IDENTIFIER_MISSING');
    expect(await refusal({ subscriberId: one.id, email: two.email })).toBe('IDENTIFIERS_DISAGREE');
    expect(await refusal({ subscriberId: newId('sub') })).toBe('SUBSCRIBER_NOT_FOUND');
    for (const who of [{ subscriberId: one.id }, { email: one.email }])
      expect(await refusal(who, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
    expect(await harness.data('get_subscriber', { email: one.email }, tenant)).toMatchObject({ subscriber: one });
  });
});
