import { beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberRequests } from '#contracts';
import type { Filter } from '#contracts';
import { newId, uuidOf } from '#database';
import { RemoteFailure } from '#tool-call';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { mark, organization, person } from '../subscriber-fixture.js';

describe('audiences', () => {
  const tagged: Filter[] = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['Half'] }];
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const ask = () => harness.client(subscriberRequests);
  const caller = (by = tenant) => harness.caller(by);
  const refusal = (asking: () => Promise<unknown>) =>
    asking().then(
      () => 'answered',
      (error: unknown) => (error instanceof RemoteFailure ? error.failure.reason : String(error)),
    );
  const freeze = (filters: Filter[], audienceId = newId('aud')) =>
    ask().freeze_audience({ audienceId, purpose: 'SEND', filters }, caller());
  const page = async (audienceId: string, showIf: Filter[][] = [], pageNumber = 0) =>
    (await ask().get_audience_page({ audienceId, pageNumber, showIf }, caller())).recipients;

  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    for (const from of [0, 500, 1000]) {
      const subscribers = Array.from({ length: from === 1000 ? 200 : 500 }, (_, i) => ({
        email: `p${from + i}@example.com`,
        name: `Person ${from + i}`,
        tags: (from + i) % 2 === 0 ? ['half'] : [],
        fields: { City: `city ${i % 7}` },
      }));
      await harness.data('import_subscribers', { subscribers }, tenant);
    }
  });

  it('normalises filters to ids and returns the referenced targets', async () => {
    const checked = await ask().check_filters({ filters: tagged }, caller());
    const tagId = checked.references[0]!.slice('tag:'.length);
    expect(checked).toEqual({
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [tagId] }],
      references: [`tag:${tagId}`],
    });
    expect(tagId).toMatch(/^tag_/);
    expect(await ask().check_filters({ filters: checked.filters }, caller())).toEqual(checked);
    expect(await refusal(() => ask().check_filters({ filters: checked.filters }, caller(otherTenant)))).toBe(
      'FILTERS_INVALID',
    );
  });

  it('freezes the matching subscribers into pages of 500, each subscriber once', async () => {
    const { filters } = await ask().check_filters({ filters: tagged }, caller());
    expect(await ask().count_recipients({ filters }, caller())).toEqual({ total: 600 });
    const audienceId = newId('aud');
    expect(await freeze(filters, audienceId)).toEqual({ audienceId, total: 600, pages: 2, excluded: {} });
    const pages = await Promise.all([0, 1, 2].map((pageNumber) => page(audienceId, [tagged, []], pageNumber)));
    expect(pages.map(({ length }) => length)).toEqual([500, 100, 0]);
    expect(new Set(pages.flat().map(({ email }) => email)).size).toBe(600);
    expect(pages[0]![1]).toEqual({
      subscriberId: expect.stringMatching(/^sub_/),
      email: 'p2@example.com',
      status: 'SUBSCRIBED',
      suppressed: null,
      values: { email: 'p2@example.com', name: 'Person 2', firstName: 'Person', phone: null, City: 'city 2' },
      shows: [true, true],
    });
  });

  it('returns the same audience for the same id, also for two calls at once, after any change', async () => {
    const audienceId = newId('aud');
    const both = await Promise.all([freeze(tagged, audienceId), freeze(tagged, audienceId)]);
    expect(both[0]).toEqual(both[1]);
    await person(harness, tenant, { email: 'later@example.com', tags: ['half'] });
    expect(await freeze([], audienceId)).toEqual(both[0]);
    expect((await freeze(tagged)).total).toBe(both[0].total + 1);
  });

  it('story 8: counts as many as are sent to, and explains the others', async () => {
    const tenant = await organization(harness);
    const add = (name: string) => person(harness, tenant, { email: `${name}@example.com` });
    await add('in');
    await mark(harness, await add('bounced'), 'hard_bounced');
    await mark(harness, await add('banned'), 'banned');
    await add('left');
    await harness.data('unsubscribe', { email: 'left@example.com' }, tenant);
    const { total } = await ask().count_recipients({ filters: [] }, caller(tenant));
    const frozen = await ask().freeze_audience(
      { audienceId: newId('aud'), purpose: 'SEND', filters: [] },
      caller(tenant),
    );
    expect(total).toBe(1);
    expect(frozen).toMatchObject({ total, excluded: { BOUNCED: 1, BANNED: 1, UNSUBSCRIBED: 1 } });
  });

  it('story 15: people who have not confirmed are in no audience', async () => {
    const tenant = await organization(harness, { doubleOptIn: true });
    await person(harness, tenant, { email: 'pending@example.com', tags: ['half'] });
    expect(await ask().count_recipients({ filters: [] }, caller(tenant))).toEqual({ total: 0 });
    const frozen = await ask().freeze_audience(
      { audienceId: newId('aud'), purpose: 'SEND', filters: [] },
      caller(tenant),
    );
    expect(frozen).toMatchObject({ total: 0, pages: 0, excluded: { PENDING_CONFIRMATION: 1 } });
  });

  it('returns current recipient data, but keeps the frozen address', async () => {
    const [a, b, c] = await Promise.all(
      ['now-a', 'now-b', 'now-c'].map((name) =>
        person(harness, tenant, { email: `${name}@example.com`, tags: ['now'] }),
      ),
    );
    const { audienceId } = await freeze([{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['now'] }]);
    await harness.data('unsubscribe', { subscriberId: a!.id }, tenant);
    await mark(harness, b!, 'complained');
    const sql = harness.dataSource('subscriber');
    await sql.query(`update subscriber set email = 'new@example.com' where subscriber_id = $1`, [uuidOf('sub', b!.id)]);
    await sql.query(`delete from subscriber where subscriber_id = $1`, [uuidOf('sub', c!.id)]);
    const who = new Map((await page(audienceId, [tagged])).map((one) => [one.subscriberId, one]));
    expect(who.get(a!.id)).toMatchObject({ status: 'UNSUBSCRIBED', suppressed: null, shows: [false] });
    expect(who.get(b!.id)).toMatchObject({ email: 'now-b@example.com', suppressed: 'COMPLAINED' });
    expect(who.get(b!.id)!.values.email).toBe('now-b@example.com');
    expect(who.get(c!.id)).toEqual({
      subscriberId: c!.id,
      email: 'now-c@example.com',
      status: null,
      suppressed: null,
      values: {},
      shows: [false],
    });
  });

  it('carries only the custom fields that the reader names, and answers a page of many bytes in parts', async () => {
    const tenant = await organization(harness);
    const long = (letter: string) =>
      Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`${letter}${n}`, letter.repeat(10_000)]));
    const subscribers = Array.from({ length: 80 }, (_, n) => ({
      email: `wide${n}@example.com`,
      fields: { city: 'Rome', ...long('x') },
    }));
    for (let from = 0; from < 80; from += 10) {
      const some = subscribers.slice(from, from + 10);
      expect(await harness.data('import_subscribers', { subscribers: some }, tenant)).toMatchObject({ imported: 10 });
    }
    const audienceId = newId('aud');
    await ask().freeze_audience({ audienceId, purpose: 'SEND', filters: [] }, caller(tenant));
    const read = (more: object) =>
      ask().get_audience_page({ audienceId, pageNumber: 0, showIf: [], ...more }, caller(tenant));
    const { recipients } = await read({ variables: ['CITY'] });
    expect(recipients).toHaveLength(80);
    expect(recipients[0]!.values).toEqual({ name: null, city: 'Rome' });
    expect((await read({ variables: [] })).recipients[79]!.values).toEqual({ name: null });
    const variables = ['city', ...Object.keys(long('x'))];
    expect(await refusal(() => read({ variables }))).toBe('RESULT_TOO_LARGE');
    const parts = [
      await read({ variables, places: { from: 0, count: 50 } }),
      await read({ variables, places: { from: 50, count: 50 } }),
    ].map((part) => part.recipients);
    expect(parts.map(({ length }) => length)).toEqual([50, 30]);
    expect(parts.flat().map(({ email }) => email)).toEqual(recipients.map(({ email }) => email));
    expect(parts[1]![29]!.values.x5).toHaveLength(10_000);
  });

  it('answers no page to another organization, nor after the release', async () => {
    const { audienceId } = await freeze(tagged);
    expect(
      (await ask().get_audience_page({ audienceId, pageNumber: 0, showIf: [] }, caller(otherTenant))).recipients,
    ).toEqual([]);
    for (const _ of [1, 2]) await ask().release_audience({ audienceId }, caller());
    expect(await page(audienceId)).toEqual([]);
  });

  it('refuses filters whose target is gone with FILTER_TARGET_GONE, and a cycle of segments with SEGMENT_CYCLE', async () => {
    await harness.data('create_tag', { name: 'short-lived' }, tenant);
    const none = [{ type: 'TAG', operator: 'BELONGS_TO_NONE', tagNames: ['short-lived'] }];
    const { filters } = await ask().check_filters({ filters: none }, caller());
    await harness.dataSource('subscriber').query(`update tag set deleted_at = now() where name = 'short-lived'`);
    for (const asking of [
      () => ask().count_recipients({ filters }, caller()),
      () => freeze(filters),
      () => page(newId('aud'), [filters]),
      () => ask().get_recipient({ subscriberId: newId('sub'), showIf: [filters] }, caller()),
    ]) {
      expect(await refusal(asking)).toBe('FILTER_TARGET_GONE');
    }
    const { segment } = await harness.data<{ segment: { id: string } }>('create_segment', { name: 'Round' }, tenant);
    const itself = [{ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId: segment.id }];
    await harness
      .dataSource('subscriber')
      .query(`update segment set filters = $2 where segment_id = $1`, [
        uuidOf('seg', segment.id),
        JSON.stringify(itself),
      ]);
    expect(await refusal(() => ask().count_recipients({ filters: itself }, caller()))).toBe('SEGMENT_CYCLE');
    expect(await refusal(() => freeze(itself))).toBe('SEGMENT_CYCLE');
  });

  it('answers one recipient with what a template may say, or SUBSCRIBER_NOT_FOUND', async () => {
    const { id } = await person(harness, tenant, {
      email: 'solo@example.com',
      name: 'So Lo',
      fields: { City: 'Rome' },
    });
    const { recipient } = await ask().get_recipient({ subscriberId: id, showIf: [tagged, []] }, caller());
    expect(recipient).toMatchObject({
      subscriberId: id,
      email: 'solo@example.com',
      status: 'SUBSCRIBED',
      shows: [false, true],
      values: { firstName: 'So', City: 'Rome' },
    });
    for (const asking of [
      () => ask().get_recipient({ subscriberId: newId('sub'), showIf: [] }, caller()),
      () => ask().get_recipient({ subscriberId: id, showIf: [] }, caller(otherTenant)),
    ]) {
      expect(await refusal(asking)).toBe('SUBSCRIBER_NOT_FOUND');
    }
  });
});
