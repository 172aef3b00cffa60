import { describe, expect, it } from '@jest/globals';
import type { Visitor } from '../door/door.js';
import { McpEndpoint } from './mcp-endpoint.js';

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
