import { describe, expect, it } from '@jest/globals';
import type { Visitor } from '../door/door.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { readScope } from './mcp-view.js';

describe('the endpoint for agents', () => {
  it('takes one message a request: several would count once against the rate limit', async () => {
    const endpoint = new McpEndpoint({} as never, () => [], '1');
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tags' } };
    const message = { visitor: {} as Visitor, query: {}, headers: {}, body: [call, call], requestId: 'r' };
    await expect(endpoint.answer(message)).rejects.toMatchObject({
      reason: 'PARAMETERS_INVALID',
      message: 'Send one message a request.',
    });
  });
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

  it('is refused where nobody can tell, so that nothing is open by a slip', () => {
    expect(() => readScope({ readonly: 'ja' })).toThrow(expect.objectContaining({ reason: 'PARAMETERS_INVALID' }));
  });
});
