import { beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { SenderRepository } from '../../src/sender/sender.repository.js';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_email_senders', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: { organizationId: string };
  beforeAll(async () => {
    const caller = harness.caller({ organizationId: '' });
    const { organization } = await harness.client(domainRequests).create_organization({ name: 'Zoë & Co' }, caller);
    tenant = { organizationId: organization.id };
  });

  it('shows a new organization its default sender, named after it', async () => {
    const { domains } = await harness.data<{ domains: { domain: string }[] }>('list_domains', {}, tenant);
    const { domain } = domains[0]!;
    expect(await harness.data('get_email_senders', {}, tenant)).toEqual({
      senders: [
        {
          id: expect.stringMatching(/^snd_/),
          displayName: 'Zoë & Co',
          localPart: 'hello',
          domain,
          email: `hello@${domain}`,
          replyTo: null,
          isDefault: true,
        },
      ],
      total: 1,
    });
  });

  it('lists further senders behind the default one', async () => {
    const { domains } = await harness.data<{ domains: { id: string }[] }>('list_domains', {}, tenant);
    const senders = new SenderRepository(harness.dataSource('domain').manager);
    for (const localPart of ['news', 'care']) {
      await senders.insert(tenant.organizationId, { domainId: domains[0]!.id, displayName: localPart, localPart });
    }
    const answer = await harness.data<{ senders: { localPart: string; isDefault: boolean }[] }>(
      'get_email_senders',
      {},
      tenant,
    );
    expect(answer.senders.map(({ localPart, isDefault }) => [localPart, isDefault])).toEqual([
      ['hello', true],
      ['care', false],
      ['news', false],
    ]);
  });

  it('shows nothing of another organization', async () => {
    const otherTenant = { organizationId: newId('org') };
    expect(await harness.data('get_email_senders', {}, otherTenant)).toEqual({ senders: [], total: 0 });
  });
});
