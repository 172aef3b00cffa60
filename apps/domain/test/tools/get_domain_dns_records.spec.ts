import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness.js';
import { DomainDesk } from '../domain-desk.js';
import type { Domain } from '../domain-desk.js';

describe('get_domain_dns_records', () => {
  let desk: DomainDesk;
  let ours: Tenant;
  beforeAll(async () => {
    desk = await DomainDesk.open();
    ours = await desk.organization('Ours');
  });
  afterAll(() => desk.close());
  const records = (domainId: string) =>
    desk.tidings.data<{ domain: Domain; records: Domain['records'] }>('get_domain_dns_records', { domainId }, ours);

  it('answers the records as the last check left them, without asking DNS', async () => {
    const made = await desk.create('acme.example', ours);
    expect(await records(made.id)).toEqual({ domain: made, records: made.records });
    desk.publish(made.records);
    const verified = await desk.verify(made, ours);
    const before = desk.dns.asked.length;
    expect(await records(made.id)).toEqual({ domain: verified, records: verified.records });
    expect(desk.dns.asked).toHaveLength(before);
  });

  it('has none for the sandbox domain, which no DNS knows', async () => {
    const { domains } = await desk.tidings.data<{ domains: Domain[] }>('list_domains', {}, ours);
    const sandbox = domains.find((domain) => domain.sandbox)!;
    expect(await records(sandbox.id)).toEqual({ domain: sandbox, records: [] });
  });

  it('answers DOMAIN_NOT_FOUND for an unknown id and for another organization’s', async () => {
    const theirs = await desk.create('theirs.example', await desk.organization('Theirs'));
    for (const domainId of [newId('dom'), 'acme', theirs.id]) {
      expect(await desk.tidings.refusal('get_domain_dns_records', { domainId }, ours)).toBe('DOMAIN_NOT_FOUND');
    }
  });
});
