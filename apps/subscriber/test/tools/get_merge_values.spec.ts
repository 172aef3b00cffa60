import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';

const tagged = (tag: string) => [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }];

describe('get_merge_values', () => {
  let harness: Harness;
  let [tenant, otherTenant]: Tenant[] = [];
  let subscriberId: string;
  beforeAll(async () => {
    harness = await Harness.start();
    const operator = harness.caller({ organizationId: '' });
    const organization = async (name: string) =>
      (await harness.client(domainRequests).create_organization({ name }, operator)).organization.id;
    tenant = { organizationId: await organization('Ours') };
    otherTenant = { organizationId: await organization('Theirs') };
    const person = { email: 'ada@example.com', name: 'Ada Lovelace', tags: ['vip'], fields: { city: 'London' } };
    await harness.data('create_custom_field', { name: 'shoe' }, tenant);
    await harness.data('create_tag', { name: 'lead' }, tenant);
    subscriberId = (await harness.data<{ subscriber: { id: string } }>('add_subscriber', person, tenant)).subscriber.id;
  });
  afterAll(() => harness.stop());

  const refusal = (input: object, of = tenant!) => harness.refusal('get_merge_values', { subscriberId, ...input }, of);

  it('returns the values of a subscriber and which lists of filters match', async () => {
    const showIf = [tagged('vip'), tagged('lead'), []];
    expect(await harness.data('get_merge_values', { subscriberId, showIf }, tenant!)).toEqual({
      subscriberId,
      email: 'ada@example.com',
      values: {
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        firstName: 'Ada',
        phone: null,
        city: 'London',
        shoe: null,
      },
      shows: [true, false, true],
    });
  });

  it('refuses filters that name nothing with FILTERS_INVALID', async () => {
    expect(await refusal({ showIf: [tagged('none')] })).toBe('FILTERS_INVALID');
  });

  it('refuses a segment that names something deleted with FILTER_TARGET_GONE, and one in itself with SEGMENT_CYCLE', async () => {
    const segment = async (name: string, filters: object[]) =>
      (await harness.data<{ segmentId: string }>('create_segment', { name, filters }, tenant!)).segmentId;
    const include = (segmentId: string) => [{ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId }];
    const broken = await segment('Broken', tagged('lead'));
    const sql = harness.dataSource('subscriber');
    await sql.query(`update tag set deleted_at = clock_timestamp() where name = 'lead'`);
    expect(await refusal({ showIf: [include(broken)] })).toBe('FILTER_TARGET_GONE');
    const circle = await segment('Circle', []);
    await sql.query(`update segment set filters = $1 where name = 'Circle'`, [JSON.stringify(include(circle))]);
    expect(await refusal({ showIf: [include(circle)] })).toBe('SEGMENT_CYCLE');
  });

  it('answers SUBSCRIBER_NOT_FOUND for an unknown or another organization’s subscriber', async () => {
    expect(await refusal({}, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
    expect(await refusal({ subscriberId: newId('sub') })).toBe('SUBSCRIBER_NOT_FOUND');
  });
});
