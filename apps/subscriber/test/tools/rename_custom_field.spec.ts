import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('rename_custom_field', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  const make = async (name: string, tenant = ours) =>
    (await tidings.data<{ customField: { id: string } }>('create_custom_field', { name }, tenant)).customField.id;
  const rename = (fieldId: string, name: string) => tidings.data('rename_custom_field', { fieldId, name }, ours);
  const valuesFor = async (subscriberId: string) => {
    const subscribers = tidings.client(subscriberRequests);
    return (await subscribers.get_recipient({ subscriberId, showIf: [] }, tidings.caller(ours))).recipient.values;
  };
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it('keeps values, segments and content working: the former name means the field until another takes it', async () => {
    const fieldId = await make('town');
    const { id } = await person(tidings, ours, { email: 'ada@example.com', fields: { town: 'Oslo' } });
    const filters = [{ type: 'FIELD', fieldName: 'town', operator: 'EQUALS', value: 'Oslo' }];
    const { segmentId } = await tidings.data<{ segmentId: string }>('create_segment', { name: 'Oslo', filters }, ours);
    expect(await rename(fieldId, ' City ')).toEqual({ customField: { id: fieldId, name: 'City' } });
    const { subscriber } = await tidings.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId: id }, ours);
    expect(subscriber.customFields).toEqual({ City: 'Oslo' });
    expect(await tidings.data('get_segment', { segmentId }, ours)).toMatchObject({ subscribersCount: 1 });
    expect(await valuesFor(id)).toMatchObject({ City: 'Oslo', town: 'Oslo' });
    await tidings.data('update_subscriber', { subscriber: id, fields: { town: 'another field' } }, ours);
    expect(await valuesFor(id)).toMatchObject({ City: 'Oslo', town: 'another field' });
  });

  it('keeps blocks shown whose condition names the field as it was called, until another field takes that name', async () => {
    const fieldId = await make('rank');
    const { id } = await person(tidings, ours, { email: 'rank@example.com', fields: { rank: 'gold' } });
    const showIf = [[{ type: 'FIELD', fieldName: 'Rank', operator: 'EQUALS', value: 'gold' }]];
    const shown = async () => {
      const subscribers = tidings.client(subscriberRequests);
      return (await subscribers.get_recipient({ subscriberId: id, showIf }, tidings.caller(ours))).recipient.shows;
    };
    await rename(fieldId, 'level');
    expect(await shown()).toEqual([true]);
    const { filters } = await tidings
      .client(subscriberRequests)
      .check_filters(
        { filters: [{ type: 'FIELD', fieldName: 'Rank', operator: 'EQUALS', value: 'gold' }] },
        tidings.caller(ours),
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
    expect(await tidings.refusal('rename_custom_field', { fieldId: one, name: 'TWO' }, ours)).toBe('FIELD_NAME_TAKEN');
    expect(await tidings.refusal('rename_custom_field', { fieldId: one, name: 'Email' }, ours)).toBe('FIELD_RESERVED');
    const racing = [one, two].map((fieldId) => tidings.call('rename_custom_field', { fieldId, name: 'wanted' }, ours));
    const reasons = (await Promise.all(racing)).map((outcome) => (outcome.ok ? 'done' : outcome.error.reason));
    expect(reasons.sort()).toEqual(['FIELD_NAME_TAKEN', 'done']);
  });

  it('refuses unknown and foreign fields with FIELD_NOT_FOUND', async () => {
    const foreign = await make('foreign', theirs);
    for (const fieldId of [newId('fld'), foreign, 'nonsense']) {
      expect(await tidings.refusal('rename_custom_field', { fieldId, name: 'mine' }, ours)).toBe('FIELD_NOT_FOUND');
    }
    expect(await tidings.data('get_custom_fields', {}, theirs)).toMatchObject({ customFields: [{ name: 'foreign' }] });
  });
});
