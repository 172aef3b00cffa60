import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { CallContexts } from '#service-host';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { removeDeleted } from '../../src/cleanup/deleted-value.job.js';
import { rowOf } from '../message-event-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('delete_custom_field', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  const make = async (name: string, tenant = ours) =>
    (await tidings.data<{ customField: { id: string } }>('create_custom_field', { name }, tenant)).customField.id;
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it('says what will happen, hides values at once, and removes them in the background; no status changes', async () => {
    const fieldId = await make('secret');
    const { id } = await person(tidings, ours, { email: 'ada@example.com', fields: { secret: 'x', kept: 'y' } });
    await tidings.data('unsubscribe', { subscriberId: id }, ours);
    expect(await tidings.describe('delete_custom_field', { fieldId }, ours)).toMatchObject({
      data: {
        action: 'Delete the custom field',
        message: 'Deletes the custom field "secret" for good, with the values of 1 subscriber.',
      },
    });
    expect(await tidings.data('delete_custom_field', { fieldId }, ours)).toEqual({
      deleted: true,
      customField: { id: fieldId, name: 'secret' },
    });
    const { subscriber } = await tidings.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId: id }, ours);
    expect(subscriber).toMatchObject({ customFields: { kept: 'y' }, status: 'UNSUBSCRIBED' });
    const fresh = await make('Secret');
    expect(fresh).not.toBe(fieldId);

    const database = tidings.dataSource('subscriber');
    const contexts = new CallContexts('subscriber', database, () => undefined);
    expect(await removeDeleted(contexts, new Date())).toBe(0);
    await database.query(
      `update custom_field set deleted_at = deleted_at - interval '2 minutes' where deleted_at is not null`,
    );
    expect(await removeDeleted(contexts, new Date())).toBeGreaterThan(1);
    expect(Object.keys((await rowOf(tidings, id)).custom as object)).not.toContain(uuidOf('fld', fieldId));
    const rows = await database.query(`select 1 from custom_field where field_id = $1`, [uuidOf('fld', fieldId)]);
    expect(rows).toEqual([]);
  });

  it('refuses with FIELD_IN_USE while a segment names it', async () => {
    const fieldId = await make('used');
    const filters = [{ type: 'FIELD', fieldId, operator: 'IS_NOT_EMPTY' }];
    await tidings.data('create_segment', { name: 'Users', filters }, ours);
    expect(await tidings.refusal('delete_custom_field', { fieldId }, ours)).toBe('FIELD_IN_USE');
    expect(await tidings.describe('delete_custom_field', { fieldId }, ours)).toMatchObject({
      ok: false,
      error: { reason: 'FIELD_IN_USE' },
    });
  });

  it('refuses unknown and foreign fields with FIELD_NOT_FOUND', async () => {
    const foreign = await make('foreign', theirs);
    for (const fieldId of [newId('fld'), foreign, 'nonsense']) {
      expect(await tidings.refusal('delete_custom_field', { fieldId }, ours)).toBe('FIELD_NOT_FOUND');
    }
    expect(await tidings.data('get_custom_fields', {}, theirs)).toMatchObject({ total: 1 });
  });
});
