import { describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('rename_custom_field', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const make = async (name: string, by = tenant) =>
    (await harness.data<{ customField: { id: string } }>('create_custom_field', { name }, by)).customField.id;
  const rename = (fieldId: string, name: string) => harness.data('rename_custom_field', { fieldId, name }, tenant);
  const valuesFor = async (subscriberId: string) => {
    const subscribers = harness.client(subscriberRequests);
    return (await subscribers.get_recipient({ subscriberId, showIf: [] }, harness.caller(tenant))).recipient.values;
  };

  it('keeps values, segments and content working: the former name means the field until another takes it', async () => {
    const fieldId = await make('town');
    const { id } = await person(harness, tenant, { email: 'ada@example.com', fields: { town: 'Oslo' } });
    const filters = [{ type: 'FIELD', fieldName: 'town', operator: 'EQUALS', value: 'Oslo' }];
    const { segmentId } = await harness.data<{ segmentId: string }>(
      'create_segment',
      { name: 'Oslo', filters },
      tenant,
    );
    expect(await rename(fieldId, ' City ')).toEqual({ customField: { id: fieldId, name: 'City' } });
    const { subscriber } = await harness.data<{ subscriber: Subscriber }>(
      'get_subscriber',
      { subscriberId: id },
      tenant,
    );
    expect(subscriber.customFields).toEqual({ City: 'Oslo' });
    expect(await harness.data('get_segment', { segmentId }, tenant)).toMatchObject({ subscribersCount: 1 });
    expect(await valuesFor(id)).toMatchObject({ City: 'Oslo', town: 'Oslo' });
    await harness.data('update_subscriber', { subscriber: id, fields: { town: 'another field' } }, tenant);
    expect(await valuesFor(id)).toMatchObject({ City: 'Oslo', town: 'another field' });
  });

  it('keeps blocks shown whose condition names the field as it was called, until another field takes that name', async () => {
    const fieldId = await make('rank');
    const { id } = await person(harness, tenant, { email: 'rank@example.com', fields: { rank: 'gold' } });
    const showIf = [[{ type: 'FIELD', fieldName: 'Rank', operator: 'EQUALS', value: 'gold' }]];
    const shown = async () => {
      const subscribers = harness.client(subscriberRequests);
      return (await subscribers.get_recipient({ subscriberId: id, showIf }, harness.caller(tenant))).recipient.shows;
    };
    await rename(fieldId, 'level');
    expect(await shown()).toEqual([true]);
    const { filters } = await harness
      .client(subscriberRequests)
      .check_filters(
        { filters: [{ type: 'FIELD', fieldName: 'Rank', operator: 'EQUALS', value: 'gold' }] },
        harness.caller(tenant),
      );
    expect(filters).toMatchObject([{ fieldId }]);
    await make('rank');
    expect(await shown()).toEqual([false]);
  });

  it('changes the case of its own name, and gives the former name back', async () => {
    const fieldId = await make('size');
    await rename(fieldId, 'SIZE');
    await rename(fieldId, 'width');
    expect(await make('Size')).not.toBe(fieldId);
  });

  it('refuses a name of another field with FIELD_NAME_TAKEN, and reserved ones with FIELD_RESERVED', async () => {
    const [one, two] = [await make('one'), await make('two')];
    expect(await harness.refusal('rename_custom_field', { fieldId: one, name: 'TWO' }, tenant)).toBe(
      'FIELD_NAME_TAKEN',
    );
    expect(await harness.refusal('rename_custom_field', { fieldId: one, name: 'Email' }, tenant)).toBe(
      'FIELD_RESERVED',
    );
    const racing = [one, two].map((fieldId) =>
      harness.call('rename_custom_field', { fieldId, name: 'wanted' }, tenant),
    );
    const reasons = (await Promise.all(racing)).map((outcome) => (outcome.ok ? 'done' : outcome.error.reason));
    expect(reasons.sort()).toEqual(['FIELD_NAME_TAKEN', 'done']);
  });

  it('refuses unknown and foreign fields with FIELD_NOT_FOUND', async () => {
    const foreign = await make('foreign', otherTenant);
    for (const fieldId of [newId('fld'), foreign, 'nonsense']) {
      expect(await harness.refusal('rename_custom_field', { fieldId, name: 'mine' }, tenant)).toBe('FIELD_NOT_FOUND');
    }
    expect(await harness.data('get_custom_fields', {}, otherTenant)).toMatchObject({
      customFields: [{ name: 'foreign' }],
    });
  });
});
