import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '#tool-call';
import { PublicFetcher } from '#public-fetch';
import { CampaignFixture } from './campaign-fixture.js';
import { Site } from './image-fixtures.js';

/**
 * Addresses of no public server: this machine in all its spellings, private and reserved networks, ways around IPv4.
 */
const addresses = [
  ...[
    '127.0.0.1',
    '127.8.9.10',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '０x7f000001',
    '0.0.0.0',
    '0',
  ],
  ...[
    '127.0.0.1.',
    'localhost',
    'localhost.',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ],
  ...['[::7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:53aa:64c::80ff:fffe]'],
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254', '0xa9fea9fe', '[::ffff:a9fe:a9fe]'],
  ...[
    '[fd00:ec2::254]',
    '[fc00::1]',
    '[fe80::1]',
    '[fec0::1]',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.1',
  ],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255'],
];
/** One wording for every cause, so that the tool cannot be used to scan a network. */
const refusal = 'The address could not be fetched. It must be a public http or https address that responds';

describe('what no tool fetches', () => {
  let fixture: CampaignFixture;
  /** A site that the tools treat as public; it redirects to the target of each test. */
  let site: Site;
  let reached = 0;
  /** Listens at every address of this machine. */
  const secret = createServer((_request, response) => {
    reached += 1;
    response.end('secret');
  });
  let port: number;
  const counts = new Map<string, number>();
  beforeAll(async () => {
    await new Promise<void>((resolve) => secret.listen(0, resolve));
    ({ port } = secret.address() as AddressInfo);
    site = await Site.open((request, response) => {
      const to = new URL(request.url!, 'http://x').searchParams.get('to')!;
      response.writeHead(302, { location: Buffer.from(to).toString('latin1') }).end();
    });
    process.env.FETCH_ALLOWED_ADDRESSES = site.host;
    fixture = await CampaignFixture.open();
    delete process.env.FETCH_ALLOWED_ADDRESSES;
  });
  afterAll(async () => {
    const tries = [...counts.values()].reduce((sum, n) => sum + n, 0);
    const each = [...counts].map(([way, n]) => `${way} ${n}`).join(', ');
    process.stdout.write(`SSRF: ${addresses.length} addresses, ${tries} tries (${each}), ${reached} reached\n`);
    await fixture.close();
    await site.close();
    secret.close();
  });

  const tried = (way: string) => counts.set(way, (counts.get(way) ?? 0) + 1);
  const byTool = async (tool: string, url: string): Promise<string> => {
    const outcome = await fixture.harness.call(tool, { url }, fixture.tenant);
    return outcome.ok ? 'fetched' : outcome.error.message;
  };

  it('is tried at forty-one kinds of address', () => expect(new Set(addresses).size).toBe(41));

  it.each(addresses)(
    '%s: not by upload_image, not by fetch_web_page, not by a redirect, not by a name',
    async (host) => {
      const url = `http://${host}:${port}/`;
      for (const tool of ['upload_image', 'fetch_web_page']) {
        tried(tool);
        expect(await byTool(tool, url)).toContain(refusal);
        tried(`redirect to ${tool}`);
        expect(await byTool(tool, site.url(`/?to=${encodeURIComponent(url)}`))).toContain(refusal);
      }
      const literal = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
      if (isIP(literal) > 0) {
        tried('name');
        const found: LookupAddress[] = [{ address: literal, family: isIP(literal) }];
        const fetcher = new PublicFetcher({ allowed: new Set(), resolve: () => Promise.resolve(found) });
        const request = { organizationId: 'org_a', url: `http://name.example:8080/`, accept: '*/*', bytesMax: 1_000 };
        await expect(fetcher.fetch(request)).rejects.toThrow(ToolError);
      }
      expect(reached).toBe(0);
    },
  );
});
