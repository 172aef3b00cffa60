import { beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { SenderRepository } from '../../src/sender/sender.repository.js';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_sender', () => {
  const harness = useFixture(() => Harness.start());
  let organizationId: string;
  let first: string;
  const further: string[] = [];
  const ask = async (senderId: string | null, use = false, organization = organizationId) =>
    (
      await harness
        .client(domainRequests)
        .get_sender({ senderId, use }, harness.caller({ organizationId: organization }))
    ).sender;
  beforeAll(async () => {
    const caller = harness.caller({ organizationId: '' });
    const made = await harness.client(domainRequests).create_organization({ name: 'Ours' }, caller);
    organizationId = made.organization.id;
    first = made.sender.id;
    const { domainId } = (await ask(first))!;
    const senders = new SenderRepository(harness.dataSource('domain').manager);
    for (const localPart of ['news', 'care']) {
      further.push((await senders.insert(organizationId, { domainId, displayName: 'X', localPart })).id);
    }
  });

  it('answers a sender with its domain and where bounces go', async () => {
    const sender = await ask(first);
    expect(sender).toMatchObject({ id: first, isDefault: true, domainStatus: 'VERIFIED' });
    expect(sender!.mailFromDomain).toBe(`bounce.${sender!.domain}`);
  });

  it('without an id answers the default, else the one last used, else the oldest', async () => {
    expect((await ask(null))!.id).toBe(first);
    await harness.dataSource('domain').query(`update sender set is_default = false`);
    expect((await ask(null))!.id).toBe(first);
    expect((await ask(further[1]!, true))!.id).toBe(further[1]);
    expect((await ask(null))!.id).toBe(further[1]);
  });

  it('answers null for an unknown sender, another organization, or when there is none', async () => {
    expect(await ask(newId('snd'))).toBeNull();
    expect(await ask('care')).toBeNull();
    expect(await ask(first, true, newId('org'))).toBeNull();
    expect(await ask(null, false, newId('org'))).toBeNull();
  });
});
