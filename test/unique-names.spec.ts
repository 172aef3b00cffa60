import { beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests, subscriberTagRequests } from '#contracts';
import type { Outcome } from '#tool-call';
import { Harness } from './harness/harness.js';
import type { Tenant } from './harness/harness.js';
import { useFixture } from './harness/use-fixture.js';

const many = 8;
const each = <T>(make: (n: number) => Promise<T>) => Promise.all(Array.from({ length: many }, (_, n) => make(n)));

/** Makes a record under a name. @returns what an update of it must say */
type Make = (name: string) => Promise<object>;

describe('of several calls that take one name at the same moment', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  beforeAll(async () => {
    const nobody = harness.caller({ organizationId: '' });
    const { organization } = await harness.client(domainRequests).create_organization({ name: 'Ours' }, nobody);
    tenant = { organizationId: organization.id };
  });

  const call = (tool: string, input: object) => harness.call(tool, input, tenant);
  const data = (tool: string, input: object) => harness.data<Record<string, { id: string }>>(tool, input, tenant);
  const filters = [{ type: 'STRING', field: 'email', operator: 'CONTAINS', value: 'a' }];
  const content = { type: 'doc', content: [{ type: 'paragraph' }] };

  function expectOne(outcomes: readonly Outcome[], reason: string): void {
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.reason ?? outcome.error.code]));
    expect(refused).toEqual(Array.from({ length: many - 1 }, () => reason));
  }

  it.each([
    ['create_tag', {}, 'TAG_NAME_TAKEN'],
    ['create_custom_field', {}, 'FIELD_NAME_TAKEN'],
    ['create_segment', { filters }, 'SEGMENT_NAME_TAKEN'],
    ['create_email_snippet', { content }, 'SNIPPET_NAME_TAKEN'],
  ])('%s creates one, and returns its owner to the others', async (tool, rest, reason) => {
    expectOne(await each(() => call(tool, { name: `New by ${tool}`, ...rest })), reason);
  });

  it('create_email_sender creates one, and returns its owner to the others', async () => {
    const { domains } = await harness.data<{ domains: { id: string }[] }>('list_domains', {}, tenant);
    const sender = { domainId: domains[0]!.id, displayName: 'Ada', localPart: 'ada' };
    expectOne(await each(() => call('create_email_sender', sender)), 'SENDER_EXISTS');
  });

  const renames: [string, string, Make][] = [
    [
      'rename_custom_field',
      'FIELD_NAME_TAKEN',
      async (name) => ({ fieldId: (await data('create_custom_field', { name })).customField!.id }),
    ],
    [
      'update_segment',
      'SEGMENT_NAME_TAKEN',
      async (name) => ({ segmentId: (await data('create_segment', { name, filters })).segment!.id }),
    ],
    [
      'update_email_snippet',
      'SNIPPET_NAME_TAKEN',
      async (name) => ({ id: (await data('create_email_snippet', { name, content })).snippet!.id }),
    ],
    [
      'update_workflow_group',
      'WORKFLOW_GROUP_NAME_TAKEN',
      async (name) => {
        const { group } = await data('create_workflow_group', { name });
        const { id, updatedAt } = group as { id: string; updatedAt?: string };
        return { groupId: id, expectedUpdatedAt: updatedAt };
      },
    ],
  ];
  it.each(renames)('%s gives it to one, and returns %s to the others', async (tool, reason, make) => {
    const which = await each((n) => make(`Old ${n} of ${tool}`));
    expectOne(await each((n) => call(tool, { ...which[n], name: `Same by ${tool}` })), reason);
  });

  it('a tag of v1 is renamed once, and the others hear who has the name', async () => {
    const tags = await each(async (n) => (await data('create_tag', { name: `old ${n}` })).tag!.id);
    const rename = (tag: string): Promise<Outcome> =>
      harness.bus.request(
        subscriberTagRequests.kind,
        { service: subscriberTagRequests.service, name: 'rename_tag' },
        { tag, name: 'same' },
        harness.caller(tenant),
      );
    expectOne(await each((n) => rename(tags[n]!)), 'TAG_NAME_TAKEN');
  });

  it('an address is given to one person, and the others hear whose it is', async () => {
    const emails = await each((n) => Promise.resolve(`moving${n}@example.com`));
    for (const email of emails) await data('add_subscriber', { email });
    const move = (subscriber: string) => call('update_subscriber', { subscriber, email: 'same@example.com' });
    expectOne(await each((n) => move(emails[n]!)), 'EMAIL_TAKEN');
  });
});
