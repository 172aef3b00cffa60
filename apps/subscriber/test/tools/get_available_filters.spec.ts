import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Filter } from '#contracts';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { rows } from '../filter/random-filters.js';
import { populate } from '../filter/filter-fixture.js';
import { Seeded } from '../filter/random.js';
import { organization } from '../subscriber-fixture.js';

type Schema = Parameters<typeof z.fromJSONSchema>[0];
interface Listing {
  filters: {
    type: string;
    fields: { field: string; label: string; operators: { operator: string; params: Schema; example: Filter }[] }[];
  }[];
  group: { depthMax: number; params: Schema; example: Filter };
}

describe('get_available_filters', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let listing: Listing;
  const available = (tenant: Tenant) => harness.data<Listing>('get_available_filters', {}, tenant);
  const operators = () =>
    listing.filters.flatMap(({ type, fields }) =>
      fields.flatMap(({ field, operators: all }) => all.map((one) => ({ ...one, type, field }))),
    );
  beforeAll(async () => {
    tenant = await populate(harness, new Seeded(1), 5);
    listing = await available(tenant);
  });

  it('lists every type of the API text', () => {
    expect(listing.filters.map(({ type }) => type)).toEqual([
      ...['STRING', 'NUMBER', 'DATE', 'TAG', 'FIELD', 'SEGMENT', 'CAMPAIGN', 'WORKFLOW', 'EVENT', 'SYSTEM'],
    ]);
  });

  it('lists what the comparison with plain words draws, no more and no less', () => {
    const name = (row: { type: string; field: string; operator: string }) => `${row.type} ${row.field} ${row.operator}`;
    expect(operators().map(name).sort()).toEqual(rows.map(name).sort());
  });

  it('gives each operator a schema that its example satisfies, and a word too many does not', () => {
    for (const { params, example } of [...operators(), listing.group]) {
      const schema = z.fromJSONSchema(params);
      expect({ example, problem: schema.safeParse(example).error?.message }).toEqual({ example, problem: undefined });
      expect(params).toMatchObject({ additionalProperties: false });
      expect(schema.safeParse({ ...example, type: 'OTHER' }).success).toBe(false);
    }
  });

  it('gives examples that every tool with filters takes', async () => {
    const examples = [...operators().map(({ example }) => example), listing.group.example];
    const { campaignId } = await harness.data<{ campaignId: string }>('create_campaign', { subject: 'Hello' }, tenant);
    for (const example of examples) {
      const filters = [example];
      const { total } = await harness.data<{ total: number }>('count_subscribers', { filters }, tenant);
      expect(await harness.data('query_subscribers', { filters }, tenant)).toMatchObject({ total });
    }
    // Stored as a whole: a list may have as many filters as there are.
    for (let at = 0; at < examples.length; at += 50) {
      const filters = [{ type: 'GROUP', match: 'ANY', filters: examples.slice(at, at + 50) }];
      const { subscribersCount } = await harness.data<{ subscribersCount: number }>(
        'create_segment',
        { name: `Examples ${at}`, filters },
        tenant,
      );
      expect(await harness.data('update_campaign_filters', { campaignId, filters }, tenant)).toMatchObject({
        recipientCount: subscribersCount,
      });
    }
  });

  it('shows the same to an organization that has nothing, with placeholders and no names of others', async () => {
    const empty = await available(await organization(harness));
    expect(empty.filters.map(({ type }) => type)).toEqual(listing.filters.map(({ type }) => type));
    expect(JSON.stringify(listing)).toContain('o\'clock"');
    expect(JSON.stringify(empty)).not.toMatch(/o'clock|Around|Renewal/);
  });

  it('does not depend on the workflow service', async () => {
    const alone = await harness.bus.without('workflow', () => available(tenant));
    expect(alone.filters).toHaveLength(listing.filters.length);
  });
});
