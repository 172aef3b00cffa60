import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { SenderRepository } from '../../src/sender/sender.repository.js';
import { Harness } from '../../../../test/harness/harness.js';

describe('get_email_senders', () => {
  let tidings: Harness;
  let ours: { organizationId: string };
  beforeAll(async () => {
    tidings = await Harness.start();
    const caller = tidings.caller({ organizationId: '' });
    const { organization } = await tidings.client(domainRequests).create_organization({ name: 'Zoë & Co' }, caller);
    ours = { organizationId: organization.id };
  });
  afterAll(() => tidings.stop());

  it('shows a new organization its default sender, named after it', async () => {
    const { domains } = await tidings.data<{ domains: { domain: string }[] }>('list_domains', {}, ours);
    const { domain } = domains[0]!;
    expect(await tidings.data('get_email_senders', {}, ours)).toEqual({
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
    const { domains } = await tidings.data<{ domains: { id: string }[] }>('list_domains', {}, ours);
    const senders = new SenderRepository(tidings.dataSource('domain').manager);
    for (const localPart of ['news', 'care']) {
      await senders.insert(ours.organizationId, { domainId: domains[0]!.id, displayName: localPart, localPart });
    }
    const answer = await tidings.data<{ senders: { localPart: string; isDefault: boolean }[] }>(
      'get_email_senders',
      {},
      ours,
    );
    expect(answer.senders.map(({ localPart, isDefault }) => [localPart, isDefault])).toEqual([
      ['hello', true],
      ['care', false],
      ['news', false],
    ]);
  });

  it('shows nothing of another organization', async () => {
    const otherTenant = { organizationId: newId('org') };
    expect(await tidings.data('get_email_senders', {}, otherTenant)).toEqual({ senders: [], total: 0 });
  });
});
