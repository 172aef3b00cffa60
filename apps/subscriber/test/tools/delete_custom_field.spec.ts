import { describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { CallContexts } from '#service-host';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { removeDeleted } from '../../src/cleanup/deleted-value.job.js';
import { rowOf } from '../message-event-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('delete_custom_field', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const make = async (name: string, by = tenant) =>
    (await harness.data<{ customField: { id: string } }>('create_custom_field', { name }, by)).customField.id;

  it('says what will happen, hides values at once, and removes them in the background; no status changes', async () => {
    const fieldId = await make('secret');
    const { id } = await person(harness, tenant, { email: 'ada@example.com', fields: { secret: 'x', kept: 'y' } });
    await harness.data('unsubscribe', { subscriberId: id }, tenant);
    expect(await harness.describe('delete_custom_field', { fieldId }, tenant)).toMatchObject({
      data: {
        action: 'Delete the custom field',
        message: 'Deletes the custom field "secret" permanently, with the values of 1 subscriber.',
      },
    });
    expect(await harness.data('delete_custom_field', { fieldId }, tenant)).toEqual({
      deleted: true,
      customField: { id: fieldId, name: 'secret' },
    });
    const { subscriber } = await harness.data<{ subscriber: Subscriber }>(
      'get_subscriber',
      { subscriberId: id },
      tenant,
    );
    expect(subscriber).toMatchObject({ customFields: { kept: 'y' }, status: 'UNSUBSCRIBED' });
    const fresh = await make('Secret');
    expect(fresh).not.toBe(fieldId);

    const database = harness.dataSource('subscriber');
    const contexts = new CallContexts('subscriber', database, () => undefined);
    expect(await removeDeleted(contexts, new Date())).toBe(0);
    await database.query(
      `update custom_field set deleted_at = deleted_at - interval '2 minutes' where deleted_at is not null`,
    );
    expect(await removeDeleted(contexts, new Date())).toBeGreaterThan(1);
    expect(Object.keys((await rowOf(harness, id)).custom as object)).not.toContain(uuidOf('fld', fieldId));
    const rows = await database.query(`select 1 from custom_field where field_id = $1`, [uuidOf('fld', fieldId)]);
    expect(rows).toEqual([]);
  });

  it('refuses with FIELD_IN_USE while a segment names it', async () => {
    const fieldId = await make('used');
    const filters = [{ type: 'FIELD', fieldId, operator: 'IS_NOT_EMPTY' }];
    await harness.data('create_segment', { name: 'Users', filters }, tenant);
    expect(await harness.refusal('delete_custom_field', { fieldId }, tenant)).toBe('FIELD_IN_USE');
    expect(await harness.describe('delete_custom_field', { fieldId }, tenant)).toMatchObject({
      ok: false,
      error: { reason: 'FIELD_IN_USE' },
    });
  });

  it('refuses unknown and foreign fields with FIELD_NOT_FOUND', async () => {
    const foreign = await make('foreign', otherTenant);
    for (const fieldId of [newId('fld'), foreign, 'nonsense']) {
      expect(await harness.refusal('delete_custom_field', { fieldId }, tenant)).toBe('FIELD_NOT_FOUND');
    }
    expect(await harness.data('get_custom_fields', {}, otherTenant)).toMatchObject({ total: 1 });
  });
});
