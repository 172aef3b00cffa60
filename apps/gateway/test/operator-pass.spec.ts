import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { deriveKey, OperatorPasses } from '#link-token';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { until } from '#testing';
import { useFixture } from '../../../test/harness/use-fixture.js';
import { FakeDomainService, fakeService, freshNamespace, masterKey, TestGateway } from './fake-services.js';

const organization = (number: number) => ({
  id: `org_${number}`,
  number,
  plan: 'FREE',
  quotas: { contacts: null, mailsPerMonth: null, domains: null },
  cell: null,
});
const passes = new OperatorPasses(deriveKey(masterKey, 'operator-passes'));
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

class PassFixture {
  readonly callers: Caller[] = [];
  readonly domain = new FakeDomainService();
  organizations = [organization(1)];
  #stop = () => Promise.resolve();
  gateway!: TestGateway;

  static async start(): Promise<PassFixture> {
    const fixture = new PassFixture();
    const namespace = freshNamespace();
    const services = await fakeService(namespace, {
      ...fixture.domain.answers(),
      'requests.domain.list_organizations': () => ({ organizations: fixture.organizations }),
      'requests.domain.get_organization': (_input, { organizationId: id }) => {
        const found = fixture.organizations.find((one) => one.id === id);
        if (!found) throw new ToolError('ORGANIZATION_NOT_FOUND', { id });
        return { organization: found };
      },
      'tools.domain.list_organizations': (_input, caller) => {
        fixture.callers.push(caller);
        return { organizations: [] };
      },
      'tools.subscriber.create_tag': (_input, caller) => {
        fixture.callers.push(caller);
        return { tag: { id: 'tag_1' } };
      },
    });
    fixture.gateway = await TestGateway.start(namespace, { HOST: '0.0.0.0', TRUST_PROXY: 'true' });
    fixture.#stop = async () => {
      await fixture.gateway.stop();
      await services.close();
    };
    return fixture;
  }
  stop = () => this.#stop();
}

describe('the pass of the operator’s command', () => {
  const fixture = useFixture(() => PassFixture.start());
  const tag = (pass: string, headers: Record<string, string> = {}) =>
    fixture.gateway.call(pass, 'create_tag', { name: 'x' }, headers);
  const valid = () => passes.issue(new Date());

  it('calls tools as the operator with the rights of an owner, and is audited', async () => {
    expect((await tag(valid())).status).toBe(200);
    expect(fixture.callers.at(-1)).toMatchObject({
      organizationId: 'org_1',
      actor: { kind: 'OPERATOR', id: 'operator' },
      tokenId: null,
      asks: false,
      scopes: expect.arrayContaining(['admin', 'approve', 'send']),
    });
    await until('the entry arrives', () => fixture.domain.audited.length > 0);
    expect(fixture.domain.audited.at(-1)).toMatchObject({ tool: 'create_tag', actor: { kind: 'OPERATOR' } });
  });

  it('names one of several organizations by number or id', async () => {
    fixture.organizations = [organization(1), organization(2)];
    const refused = await tag(valid());
    expect(refused).toMatchObject({ status: 400, body: { reason: 'ORGANIZATION_REQUIRED' } });
    expect(refused.body.error).toContain('1, 2');
    for (const named of ['2', 'org_2']) {
      expect((await tag(valid(), { 'tidings-organization': named })).status).toBe(200);
      expect(fixture.callers.at(-1)!.organizationId).toBe('org_2');
    }
    for (const named of ['3', 'org_3']) {
      expect(await tag(valid(), { 'tidings-organization': named })).toMatchObject({
        status: 404,
        body: { reason: 'ORGANIZATION_NOT_FOUND' },
      });
    }
    fixture.organizations = [organization(1)];
  });

  it('names no organization for tools of the installation, and is refused there for an unknown one', async () => {
    fixture.organizations = [organization(1), organization(2)];
    const list = (headers = {}) => fixture.gateway.call(valid(), 'list_organizations', {}, headers);
    expect((await list()).status).toBe(200);
    expect(fixture.callers.at(-1)).toMatchObject({ organizationId: 'org_1', actor: { kind: 'OPERATOR' } });
    expect((await list({ 'tidings-organization': '2' })).status).toBe(200);
    expect(fixture.callers.at(-1)!.organizationId).toBe('org_2');
    expect((await list({ 'tidings-organization': '3' })).status).toBe(404);
    fixture.organizations = [organization(1)];
  });

  const refused = { status: 401, body: { reason: 'TOKEN_REFUSED' } };

  it('is refused when it is forged or expired', async () => {
    const forged = new OperatorPasses(deriveKey('60'.repeat(32), 'operator-passes')).issue(new Date());
    for (const pass of [forged, 'tdo_', passes.issue(new Date(Date.now() - 600_000))])
      expect(await tag(pass)).toMatchObject(refused);
  });

  it.each(['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-proto'])(
    'is refused with the header %s, whatever proxies are trusted',
    async (name) => {
      const value = name === 'forwarded' ? 'for=127.0.0.1' : '127.0.0.1';
      expect(await tag(valid(), { [name]: value })).toMatchObject(refused);
    },
  );

  // A machine without a network has loopback only.
  (address === undefined ? it.skip : it)('is refused from another address than loopback', async () => {
    const url = new URL(fixture.gateway.url);
    const response = await fetch(`http://${address}:${url.port}/api/v2/tools/create_tag`, {
      method: 'POST',
      headers: { authorization: `Bearer ${valid()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x' }),
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject(refused);
  });

  it('is refused by v1 and MCP', async () => {
    const headers = { authorization: `Bearer ${valid()}`, 'content-type': 'application/json' };
    expect((await fixture.gateway.send('/api/v1/tags', { headers })).status).toBe(401);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const accept = 'application/json, text/event-stream';
    const init = { method: 'POST', headers: { ...headers, accept }, body: JSON.stringify(call) };
    expect((await fixture.gateway.send('/api/mcp', init)).status).toBe(401);
  });
});
