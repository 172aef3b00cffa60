import { beforeAll, describe, expect, it } from '@jest/globals';
import { v1Endpoints } from '#contracts';
import { newId } from '#database';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';
import { useFixture } from '../harness/use-fixture.js';

const surface = useFixture(() => ApiFixture.start());
let tenant: ApiTenant;
let otherTenant: ApiTenant;
/** The other tenant's ids of our records, for names of parameters in a path. */
const known: Record<string, string[]> = {};
let segmentId: string;

beforeAll(async () => {
  tenant = await surface.customer('Ours');
  otherTenant = await surface.customer('Theirs');
  const { client } = tenant;
  const person = { email: 'vault@ours.example.com', name: 'Vaultkeeper', tags: ['Vault tag'] };
  const { subscriber } = await client.data<{ subscriber: { id: string } }>('add_subscriber', person);
  await client.data('add_subscriber', { email: 'second@ours.example.com', name: 'Vault second' });
  const tag = (await client.data<{ tags: { id: string }[] }>('list_tags', {})).tags[0]!;
  const letter = { name: 'Vault letter', subject: 'Vault subject' };
  const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', letter);
  known.subscriber = [subscriber.id, person.email];
  known.tag = [tag.id, 'Vault tag'];
  known.id = [campaignId];
  ({ segmentId } = await client.data<{ segmentId: string }>('create_segment', { name: 'Vault segment' }));
});

/** All that a call of theirs might have changed. */
const everything = async () =>
  await Promise.all(
    ['list_tags', 'list_subscribers', 'list_campaigns', 'list_segments', 'list_workflows'].map((tool) =>
      tenant.client.data(tool, {}),
    ),
  );

const guessable = v1Endpoints.filter(({ path }) => path.includes(':'));
/** Changes for every endpoint; an endpoint ignores fields that it does not have. */
const changes = { name: 'Stolen', subject: 'Stolen', tags: ['Vault tag'], reason: 'stolen' };
const foreign: Record<string, (like: string) => string> = {
  subscriber: (like) => (like.includes('@') ? 'nobody@example.com' : newId('sub')),
  tag: () => newId('tag'),
  id: () => newId('cmp'),
};

describe('another organization', () => {
  it('has something to guess at under v1', () => expect(guessable.length).toBeGreaterThan(15));

  it.each(guessable.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s answers another tenant’s ids as unknown ids',
    async (_name, { method, path }) => {
      const parameter = /:(\w+)/.exec(path)![1]!;
      const body = method === 'GET' || method === 'DELETE' ? undefined : changes;
      const query = method === 'DELETE' && path.endsWith('/tags') ? '?tags=["Vault tag"]' : '';
      const ask = async (value: string) => {
        const there = path.replace(/:\w+/, encodeURIComponent(value)) + query;
        const { status, body: answer } = await otherTenant.client.v1(method, there, body);
        return { status, answer: JSON.stringify(answer).replaceAll(value, '(it)') };
      };
      const before = await everything();
      for (const value of known[parameter]!) {
        const unknown = await ask(foreign[parameter]!(value));
        expect(unknown.status).toBe(404);
        expect(await ask(value)).toEqual(unknown);
      }
      expect(await everything()).toEqual(before);
    },
  );

  it('records nothing in the history of our people, whose address is theirs to use', async () => {
    const event = { eventType: 'Stolen', subscriber: known.subscriber![0] };
    const { status, body } = await otherTenant.client.v1('POST', '/events', event);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
    await otherTenant.client.v1('POST', '/subscribers', { email: 'vault@ours.example.com', name: 'Their own' });
    const mine = await tenant.client.data<{ subscriber: object }>('get_subscriber', {
      email: 'vault@ours.example.com',
    });
    expect(mine.subscriber).toMatchObject({ name: 'Vaultkeeper' });
  });

  it('continues another tenant’s cursor within its own subscribers only', async () => {
    const page = await tenant.client.data<{ nextCursor: string }>('list_subscribers', { limit: 1 });
    expect(page.nextCursor).toBeTruthy();
    const { body } = await otherTenant.client.call('list_subscribers', { limit: 100, cursor: page.nextCursor });
    expect(JSON.stringify(body)).not.toMatch(/Vault|second@/);
  });

  it.each([
    ['a segment', 'SEGMENT', { operator: 'INCLUDE', segmentName: 'Vault segment' }],
    ['a segment by its id', 'SEGMENT', { operator: 'INCLUDE', segmentId: 'segment' }],
    ['a tag', 'TAG', { operator: 'BELONGS_TO_ANY', tagNames: ['Vault tag'] }],
    ['a campaign', 'CAMPAIGN', { operator: 'RECEIVED', campaignId: 'campaign' }],
  ])('finds no subscriber by another tenant’s %s in a filter', async (_what, type, given) => {
    const ids: Record<string, string> = { segment: segmentId, campaign: known.id![0]! };
    const named = Object.entries(given).map(([key, value]) => [key, ids[String(value)] ?? value]);
    const filters = [{ type, ...Object.fromEntries(named) }];
    await tenant.client.data('query_subscribers', { filters });
    const { status, body } = await otherTenant.client.call('query_subscribers', { filters });
    expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'FILTERS_INVALID' });
    expect(JSON.stringify(body)).not.toMatch(/Vaultkeeper|Vault letter/);
  });
});
