import { afterAll, beforeAll } from '@jest/globals';
import type { z } from 'zod';
import { domainRequests } from '#contracts';
import type { dnsRecord, sendingDomain, webDomain } from '#contracts';
import { Harness } from '../../../test/harness/harness.js';
import type { Tenant } from '../../../test/harness/harness.js';
import { DnsServer } from './dns-server.js';

export type Domain = z.infer<typeof sendingDomain>;
export type WebDomain = z.infer<typeof webDomain>;
type DnsRecord = z.infer<typeof dnsRecord>;

/** All services, with a DNS server of the test. */
export class DomainFixture {
  private constructor(
    readonly dns: DnsServer,
    readonly harness: Harness,
  ) {}

  static async open(): Promise<DomainFixture> {
    const dns = await DnsServer.start();
    process.env.DNS_SERVERS = dns.address;
    return new DomainFixture(dns, await Harness.start());
  }

  async close(): Promise<void> {
    await this.harness.stop();
    await this.dns.stop();
  }

  async organization(name: string): Promise<Tenant> {
    const caller = this.harness.caller({ organizationId: '' });
    const { organization } = await this.harness.client(domainRequests).create_organization({ name }, caller);
    return { organizationId: organization.id };
  }

  async create(domain: string, tenant: Tenant): Promise<Domain> {
    return (await this.harness.data<{ domain: Domain }>('create_domain', { domain }, tenant)).domain;
  }

  async verify({ id }: { id: string }, tenant: Tenant): Promise<Domain> {
    return (await this.harness.data<{ domain: Domain }>('verify_domain', { domainId: id }, tenant)).domain;
  }

  /** Creates a domain, publishes its records in DNS and verifies it. */
  async verified(domain: string, tenant: Tenant): Promise<Domain> {
    const made = await this.create(domain, tenant);
    this.publish(made.records);
    return await this.verify(made, tenant);
  }

  async addWebDomain(hostname: string, { organizationId }: Tenant): Promise<WebDomain> {
    const caller = this.harness.caller({ organizationId: '' });
    return (await this.harness.client(domainRequests).add_web_domain({ organizationId, hostname }, caller)).webDomain;
  }

  /** Adds records to the zone, text in strings of 255 octets. */
  publish(records: readonly Pick<DnsRecord, 'type' | 'name' | 'value'>[]): void {
    for (const { type, name, value } of records) {
      const entry = this.dns.zone.get(name) ?? {};
      if (type === 'TXT') entry.TXT = [...(entry.TXT ?? []), value.match(/.{1,255}/g)!];
      else entry.MX = [...(entry.MX ?? []), [Number.parseInt(value, 10), value.split(' ')[1]!]];
      this.dns.zone.set(name, entry);
    }
  }

  /** Sets back by `hours` the time since which domains or web domains have failed. */
  async age(table: 'sending_domain' | 'web_domain', hours: number): Promise<void> {
    await this.harness
      .dataSource('domain')
      .query(`update ${table} set failing_since = failing_since - make_interval(hours => $1)`, [hours]);
  }
}

export const recordOf = (domain: Domain, purpose: DnsRecord['purpose']): DnsRecord =>
  domain.records.find((record) => record.purpose === purpose)!;

/** The statuses of a domain on one line. */
export const statusLine = ({ status, dkim, mailFrom, records }: Domain): string =>
  [`${status} dkim ${dkim} mailFrom ${mailFrom} |`, ...records.map((one) => `${one.purpose} ${one.status}`)].join(' ');

/** Opens the fixture of a spec and an organization in it, from before its first test until after its last. */
export function openFixture(): { desk: DomainFixture; ours: Tenant } {
  const open = {} as { desk: DomainFixture; ours: Tenant };
  beforeAll(async () => {
    open.desk = await DomainFixture.open();
    open.ours = await open.desk.organization('Ours');
  });
  afterAll(() => open.desk.close());
  return open;
}
