import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness.js';

describe('audiences', () => {
  const ours = { organizationId: newId('org') };
  const theirs = { organizationId: newId('org') };
  const tagged = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['Half'] }];
  let tidings: Harness;
  const ask = () => tidings.client(subscriberRequests);
  const caller = (tenant = ours) => tidings.caller(tenant);
  beforeAll(async () => {
    tidings = await Harness.start();
    for (const [call, from] of [0, 500, 1000].entries()) {
      const subscribers = Array.from({ length: call === 2 ? 200 : 500 }, (_, i) => ({
        email: `p${from + i}@example.com`,
        name: `Person ${from + i}`,
        tags: (from + i) % 2 === 0 ? ['half'] : [],
        fields: { City: `city ${i % 7}` },
      }));
      const done = await tidings.data<{ imported: number }>('import_subscribers', { subscribers }, ours);
      expect(done.imported).toBe(subscribers.length);
    }
  });
  afterAll(() => tidings.stop());

  it('normalises filters to ids and tells what they name', async () => {
    const checked = await ask().check_filters({ filters: tagged }, caller());
    const tagId = (checked.filters[0] as unknown as { tagIds: string[] }).tagIds[0]!;
    expect(checked).toEqual({
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [tagId] }],
      references: [`tag:${tagId}`],
    });
    expect(tagId).toMatch(/^tag_/);
  });

  it('freezes who matches into pages of 500 that hold everybody once', async () => {
    const audienceId = newId('aud');
    const { filters } = await ask().check_filters({ filters: tagged }, caller());
    expect(await ask().count_recipients({ filters }, caller())).toEqual({ total: 600 });
    const frozen = await ask().freeze_audience({ audienceId, purpose: 'SEND', filters }, caller());
    expect(frozen).toEqual({ audienceId, total: 600, pages: 2, excluded: {} });
    const pages = await Promise.all(
      [0, 1, 2].map((pageNumber) =>
        ask().get_audience_page({ audienceId, pageNumber, showIf: [tagged, []] }, caller()),
      ),
    );
    expect(pages.map(({ recipients }) => recipients.length)).toEqual([500, 100, 0]);
    const all = pages.flatMap(({ recipients }) => recipients);
    expect(new Set(all.map(({ email }) => email)).size).toBe(600);
    expect(all[1]).toEqual({
      subscriberId: expect.stringMatching(/^sub_/),
      email: 'p2@example.com',
      status: 'SUBSCRIBED',
      suppressed: null,
      values: { email: 'p2@example.com', name: 'Person 2', firstName: 'Person', phone: null, City: 'city 2' },
      shows: [true, true],
    });
  });
});
