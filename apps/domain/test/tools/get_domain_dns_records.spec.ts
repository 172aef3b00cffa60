import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { openFixture } from '../domain-fixture.js';
import type { Domain } from '../domain-fixture.js';

describe('get_domain_dns_records', () => {
  const spec = openFixture();
  const records = (domainId: string) =>
    spec.desk.harness.data<{ domain: Domain; records: Domain['records'] }>(
      'get_domain_dns_records',
      { domainId },
      spec.ours,
    );

  it('answers the records as the last check left them, without asking DNS', async () => {
    const made = await spec.desk.create('acme.example', spec.ours);
    expect(await records(made.id)).toEqual({ domain: made, records: made.records });
    spec.desk.publish(made.records);
    const verified = await spec.desk.verify(made, spec.ours);
    const before = spec.desk.dns.asked.length;
    expect(await records(made.id)).toEqual({ domain: verified, records: verified.records });
    expect(spec.desk.dns.asked).toHaveLength(before);
  });

  it('has none for the sandbox domain, which is not in DNS', async () => {
    const { domains } = await spec.desk.harness.data<{ domains: Domain[] }>('list_domains', {}, spec.ours);
    const sandbox = domains.find((domain) => domain.sandbox)!;
    expect(await records(sandbox.id)).toEqual({ domain: sandbox, records: [] });
  });

  it('answers DOMAIN_NOT_FOUND for an unknown id and for another organization’s', async () => {
    const otherTenant = await spec.desk.create('theirs.example', await spec.desk.organization('Theirs'));
    for (const domainId of [newId('dom'), 'acme', otherTenant.id]) {
      expect(await spec.desk.harness.refusal('get_domain_dns_records', { domainId }, spec.ours)).toBe(
        'DOMAIN_NOT_FOUND',
      );
    }
  });
});
