import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../auth/authenticator.js';
import { McpEndpoint, refusalBody } from './mcp-endpoint.js';
import type { McpMessage } from './mcp-endpoint.js';
import { readScope } from './mcp-view.js';

const clientInfo = { name: 'spec', version: '1' };
const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo };
/** The first message of a client that can ask its person. */
const opening = { jsonrpc: '2.0', id: 1, method: 'initialize', params };

describe('the endpoint for agents', () => {
  it('takes one message a request: several would count once against the rate limit', async () => {
    const endpoint = new McpEndpoint({} as never, () => [], '1', 'http://localhost:3000');
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tags' } };
    const message = { principal: {} as Principal, query: {}, headers: {}, body: [call, call], requestId: 'r' };
    await expect(endpoint.answer(message)).rejects.toMatchObject({
      reason: 'PARAMETERS_INVALID',
      message: 'Send one message a request.',
    });
  });

  it('keeps the sessions of others, however many one organization opens', async () => {
    const endpoint = new McpEndpoint({} as never, () => [], '1', 'http://localhost:3000');
    const messageOf = (whose: string, headers: Record<string, string> = {}): McpMessage => ({
      principal: {
        token: { actor: { kind: 'TOKEN', id: whose }, organizationId: whose, scopes: [] } as never,
        permit: { limit: 1, granted: true, remaining: 1, resetAt: 0 },
      },
      query: {},
      requestId: 'r',
      body: opening,
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    });
    const open = async (whose: string) => {
      const { headers, stream } = await endpoint.answer(messageOf(whose));
      await stream!.cancel();
      return headers['mcp-session-id']!;
    };
    const ours = await open('ours');
    for (let n = 0; n < 2_100; n++) await open('theirs');
    expect(await endpoint.end(messageOf('theirs', { 'mcp-session-id': ours }))).toBe(false);
    expect(await endpoint.end(messageOf('ours', { 'mcp-session-id': ours }))).toBe(true);
    await endpoint.close();
  });
});

describe('a refusal before the protocol begins', () => {
  it.each([
    ['INVALID_JSON', -32_700],
    ['VALIDATION_ERROR', -32_600],
    ['UNAUTHENTICATED', -32_000],
  ] as const)('of %s has the number of JSON-RPC 2.0 (section 5.1)', (code, number) => {
    const { error } = JSON.parse(refusalBody({ ok: false, error: { code, message: 'No.' } })) as { error: object };
    expect(error).toEqual({ code: number, message: 'No.', data: { code } });
  });
});

describe('an address of some toolsets', () => {
  it.each([
    { toolsets: 'tags,segments' },
    { toolset: 'tags, segments' },
    { toolSets: ['Tags', 'segments'] },
    { tool_sets: 'tags,,segments' },
  ])('has these as %j', (query) => expect(readScope(query).toolsets).toEqual(['tags', 'segments']));

  it('has all as {}', () => expect(readScope({}).toolsets).toBeNull());

  it('is refused for one that there is not, with those there are', () =>
    expect(() => readScope({ toolsets: 'bananas' })).toThrow(/has no toolset "bananas"\. They are tags, /));
});

describe('an address of full schemas', () => {
  it.each([{ schemas: 'full' }, { Schemas: 'FULL' }])('has them as %j', (query) =>
    expect(readScope(query).fullSchemas).toBe(true),
  );

  it('has none as {}', () => expect(readScope({}).fullSchemas).toBe(false));

  it('is refused for another form', () =>
    expect(() => readScope({ schemas: 'short' })).toThrow('schemas: must be full, not "short".'));
});

describe('an address that shall only read', () => {
  it.each([
    { readonly: '1' },
    { readonly: '' },
    { readonly: 'TRUE' },
    { readonly: 'yes' },
    { readonly: 'on' },
    { readOnly: '1' },
    { read_only: 'true' },
    { 'read-only': 'true' },
    { readonly: ['1', '1'] },
    { readonly: '0', readOnly: '1' },
  ])('is one as %j', (query) => expect(readScope(query).readOnly).toBe(true));

  it.each([{}, { readonly: '0' }, { readonly: 'False' }, { readOnly: 'no' }])('is none as %j', (query) =>
    expect(readScope(query).readOnly).toBe(false),
  );

  it('is refused if its value is unclear, so that a typing error grants no write access', () => {
    expect(() => readScope({ readonly: 'ja' })).toThrow(expect.objectContaining({ reason: 'PARAMETERS_INVALID' }));
  });
});
