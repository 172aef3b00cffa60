import { describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { isFixtureAddress, toAsciiDomain } from '#email-address';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Domains {
  domains: { id: string; domain: string; status: string }[];
  total: number;
}

describe('list_domains', () => {
  const harness = useFixture(() => Harness.start());
  const found = async (name: string) => {
    const caller = harness.caller({ organizationId: '' });
    const { organization } = await harness.client(domainRequests).create_organization({ name }, caller);
    return { organizationId: organization.id };
  };

  it('shows a new organization its sandbox domain, VERIFIED and without records to publish', async () => {
    const tenant = await found('Ours');
    expect(await harness.data('list_domains', {}, tenant)).toEqual({
      domains: [
        {
          id: expect.stringMatching(/^dom_/),
          domain: expect.stringMatching(/^org\d+\.tidings\.internal$/),
          status: 'VERIFIED',
          sandbox: true,
          dkim: 'VERIFIED',
          mailFrom: 'VERIFIED',
          records: [],
          checkedAt: null,
          failingSince: null,
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
      total: 1,
    });
  });

  it('gives each organization a sandbox of its own, with a name that is a domain and no test domain', async () => {
    const all = await Promise.all(['One', 'Two'].map(found));
    const names = await Promise.all(
      all.map(async (tenant) => (await harness.data<Domains>('list_domains', {}, tenant)).domains[0]!.domain),
    );
    expect(new Set(names).size).toBe(2);
    for (const name of names) {
      expect(toAsciiDomain(name)).toBe(name);
      expect(isFixtureAddress(`hello@${name}`)).toBe(false);
    }
  });

  it('shows nothing of another organization', async () => {
    await found('Theirs');
    expect(await harness.data('list_domains', {}, { organizationId: newId('org') })).toEqual({ domains: [], total: 0 });
  });
});
