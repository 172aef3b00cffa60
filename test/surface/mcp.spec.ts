import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { catalogue, permits, scopeOf } from '#contracts';
import { until } from '#testing';
import { McpClients } from './mcp-client.js';
import type { PersonAnswer, ToolAnswer } from './mcp-client.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

describe('MCP', () => {
  let surface: ApiFixture;
  let tenant: ApiTenant;
  const clients = new McpClients(() => surface.url);

  beforeAll(async () => {
    surface = await ApiFixture.start();
    tenant = await surface.customer();
    await tenant.client.data('add_subscriber', { email: 'ada@example.com', name: 'Ada', tags: ['customer', 'old'] });
  });
  afterAll(async () => {
    await clients.close();
    await surface.stop();
  });

  const connect = (options: { token?: string; path?: string } = {}, answer?: PersonAnswer) =>
    clients.connect({ token: tenant.token, ...options }, answer);

  /** A message as no client of the library would send it. */
  const post = (message: object | string, headers: Record<string, string> = {}) =>
    fetch(`${surface.url}/api/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', id: 'a', ...message }),
    });

  /** What a message was answered, as JSON or as the first event of a stream. */
  const messageOf = async <T>(response: Response): Promise<T> => {
    const text = await response.text();
    return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as T;
  };

  /** The header of a new session of a client that can ask its person. */
  const inSession = async () => {
    const clientInfo = { name: 'spec', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo };
    const opened = await post({ method: 'initialize', params });
    await opened.text();
    return { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
  };

  it('lists on request the whole catalogue with schemas that strict validators take', async () => {
    const { tools, names, client } = await connect({ path: '/api/mcp?toolsets=all&schemas=full' });
    const allowed = [...catalogue.values()].filter(({ contract }) =>
      permits(['read', 'write', 'send'], scopeOf(contract)),
    );
    expect(names.slice(4)).toEqual(allowed.map(({ name }) => name));
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false });
    for (const { inputSchema, outputSchema, annotations, description } of tools.slice(4)) {
      expect([inputSchema.type, outputSchema!.type]).toEqual(['object', 'object']);
      for (const schema of [inputSchema, outputSchema!]) {
        expect(() => ajv.compile(schema)).not.toThrow();
        for (const part of JSON.stringify(schema).matchAll(/"type":"array"(.{0,12})/g)) expect(part[0]).toBeTruthy();
      }
      expect(typeof annotations!.readOnlyHint).toBe('boolean');
      expect(description!.length).toBeGreaterThan(10);
    }
    expect(tools.find(({ name }) => name === 'list_tags')!.annotations).toMatchObject({ readOnlyHint: true });
    expect(tools.find(({ name }) => name === 'delete_tag')!.annotations).toMatchObject({ destructiveHint: true });
    const openWorld = tools.filter(({ annotations }) => annotations!.openWorldHint).map(({ name }) => name);
    const reaching = ['fetch_web_page', 'upload_image', 'verify_domain', 'send_email', 'schedule_campaign'];
    expect(openWorld).toEqual(expect.arrayContaining(reaching));
    expect(openWorld).not.toEqual(expect.arrayContaining(['create_campaign']));
    expect(openWorld).not.toEqual(expect.arrayContaining(['archive_campaign']));
    expect(client.getInstructions()).toContain('get_skill');
  });

  it('answers data as structured content and as text', async () => {
    const { call } = await connect({ path: '/api/mcp/sse' });
    const { structuredContent, content, isError } = await call('get_subscriber', { email: 'ada@example.com' });
    expect(isError).toBeFalsy();
    expect(structuredContent).toMatchObject({ subscriber: { email: 'ada@example.com' } });
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  });

  it('answers refusals as errors that say what to do', async () => {
    const { call } = await connect();
    const unknown = await call('get_subscriber', { email: 'nobody@example.com' });
    expect(unknown).toMatchObject({
      isError: true,
      _meta: { 'tidings/failure': { code: 'NOT_FOUND', retryable: false } },
    });
    const several = await call('create_campaign', { subjct: 'Hi', contentType: 'WORD' });
    expect(several.isError).toBe(true);
    expect(several.content[0]!.text).toContain('subjct');
    expect(several.content[0]!.text).toContain('contentType');
    const misnamed = await call('list_tag');
    expect(misnamed.content[0]!.text).toContain('Did you mean list_tags?');
  });

  it('lists every fault of form and of schema at once, each with its path, as the HTTP interface does', async () => {
    const given =
      '{"nmae":"x","colour":"a\\u0000b","__proto__":{},"amount":1e400,"content":{"a":["\\ud800",{"__proto__":1}]},' +
      '"contentType":7,"confirmationCode":12}';
    const overHttp = await fetch(`${surface.url}/api/v2/tools/create_campaign`, {
      method: 'POST',
      body: given,
      headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' },
    });
    const { issues } = (await overHttp.json()) as { issues: { path: unknown[] }[] };
    const paths = issues.map(({ path }) => path.join('.')).sort();
    expect(paths).toEqual(
      expect.arrayContaining(['__proto__', 'amount', 'content.a.1.__proto__', 'contentType', 'nmae', 'subject']),
    );
    for (const form of ['plain', 'in a session']) {
      const response = await post(
        '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"create_campaign","arguments":' +
          given +
          '}}',
        form === 'plain' ? {} : await inSession(),
      );
      const { result } = await messageOf<{ result: ToolAnswer }>(response);
      expect(result).toMatchObject({
        isError: true,
        _meta: { 'tidings/failure': { code: 'VALIDATION_ERROR', issues } },
      });
    }
  });

  it('refuses faults of form outside the arguments of a tool', async () => {
    const message =
      '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"list_tags","__proto__":{"a":1}}}';
    const response = await post(message);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('__proto__');
  });

  it('takes arguments that nest as deep as those of the HTTP interface may', async () => {
    for (const [levels, refused] of [
      [31, false],
      [32, true],
      [20_000, true],
    ] as const) {
      const content = `${'['.repeat(levels)}${']'.repeat(levels)}`;
      const call = `{"name":"create_campaign","arguments":{"subject":"s","contentType":"TIPTAP","content":${content}}}`;
      const response = await post(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":${call}}`);
      const { result } = await messageOf<{ result: ToolAnswer }>(response);
      expect(result.content[0]!.text.includes('32 levels')).toBe(refused);
    }
  });

  it.each([
    ['tools/call', {}, 'params.name: is required.'],
    ['tools/call', { name: 5 }, 'params.name: must be a string, not a number.'],
    ['tools/call', { name: 'list_tags', arguments: [] }, 'params.arguments: must be an object, not an array.'],
    ['tools/call', undefined, 'params: is required.'],
    ['resources/read', {}, 'params.uri: is required.'],
    ['prompts/get', {}, 'params.name: is required.'],
    ['tools/list', { cursor: 5 }, 'params.cursor: must be a string, not a number.'],
    [
      'initialize',
      { capabilities: { elicitation: {} } },
      expect.stringContaining('params.protocolVersion: is required'),
    ],
  ])('reports wrong parameters of %s as such (%j)', async (method, params, message) => {
    const answer = await post({ method, params });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 'a', error: { code: -32602, message } });
  });

  it('explains a confirmation and completes it by a second call', async () => {
    const { call } = await connect();
    await call('create_tag', { name: 'doomed' });
    const question = await call('delete_tag', { name: 'doomed' });
    expect(question.isError).toBeFalsy();
    expect(question.content[0]!.text).toContain('Deletes the tag "doomed"');
    const { confirmationCode } = question.structuredContent;
    const done = await call('delete_tag', { name: 'doomed', confirmationCode });
    expect(done.structuredContent).toMatchObject({ deleted: true });
  });

  it('asks the person where the client can, and does what they say', async () => {
    const heard: string[] = [];
    const yes = await connect({}, (message) => {
      heard.push(message);
      return { action: 'accept', content: { confirm: true } };
    });
    const no = await connect({}, () => ({ action: 'decline' }));
    await yes.call('create_tag', { name: 'asked' });
    expect(await no.call('delete_tag', { name: 'asked' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('declined') }],
    });
    expect((await yes.call('delete_tag', { name: 'asked' })).structuredContent).toMatchObject({ deleted: true });
    expect(heard).toEqual([expect.stringContaining('Deletes the tag "asked"')]);
  });

  it('shows a token what its scopes cover, and an address the toolsets it names', async () => {
    const token = await surface.token(tenant.organizationId, { scopes: ['read'] });
    const reader = await connect({ token, path: '/api/mcp?toolsets=all' });
    expect(reader.names).toEqual([
      ...['find_tools', 'describe_tools', 'call_read_tool', 'call_tool'],
      ...[...catalogue.values()].filter(({ contract }) => scopeOf(contract) === 'read').map(({ name }) => name),
    ]);
    expect((await reader.call('create_tag', { name: 'x' })).content[0]!.text).toContain(
      'There is no tool "create_tag"',
    );
    const narrow = await connect({ path: '/api/mcp?toolsets=tags,segments&readonly=1' });
    const [readers, segments] = [
      ['call_read_tool', 'describe_tools', 'find_tools'],
      ['get_segment', 'list_segments'],
    ];
    expect(narrow.names.sort()).toEqual([...readers, ...segments, 'list_tags']);
    expect((await narrow.call('list_campaigns')).isError).toBe(true);
    expect((await narrow.call('call_read_tool', { name: 'list_campaigns' })).isError).toBe(true);
    expect((await narrow.call('find_tools')).structuredContent).toEqual({
      toolsets: { segments: ['list_segments', 'get_segment'], tags: ['list_tags'] },
    });
    await expect(connect({ path: '/api/mcp?toolsets=tag' })).rejects.toThrow(/did you mean tags/);
  });

  it('offers skills as resources and prompts', async () => {
    const { client } = await connect();
    const { resources } = await client.listResources();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(resources.map(({ name }) => name));
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    expect((contents[0] as { text: string }).text).toMatch(/^# /);
    const { messages } = await client.getPrompt({ name: 'workflow', arguments: { task: 'Greet newcomers' } });
    expect((messages[0]!.content as { text: string }).text).toContain('The task: Greet newcomers');
    await expect(client.readResource({ uri: 'tidings://skills/none' })).rejects.toThrow(/resources\/list/);
  });

  it('bounds an answer and says how to go on', async () => {
    const subscribers = Array.from({ length: 400 }, (_, n) => ({
      email: `row${n}@long.example.com`,
      name: 'x'.repeat(250),
    }));
    await tenant.client.data('import_subscribers', { subscribers });
    const { call } = await connect();
    const seen = new Set<string>();
    for (let cursor: unknown = null; ;) {
      const { structuredContent: page } = await call('list_subscribers', {
        limit: 100,
        query: 'long.example',
        ...(cursor ? { cursor } : {}),
      });
      expect(JSON.stringify(page).length).toBeLessThan(31_000);
      for (const { id } of page.subscribers as { id: string }[]) seen.add(id);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(seen.size).toBe(400);
  });

  it('carries a call out once for an idempotency key', async () => {
    const { call } = await connect();
    const meta = { idempotencyKey: 'once' };
    const made = await call('create_campaign', { subject: 'Once' }, meta);
    expect((await call('create_campaign', { subject: 'Once' }, meta)).structuredContent).toEqual(
      made.structuredContent,
    );
    expect(await call('create_campaign', { subject: 'Twice' }, meta)).toMatchObject({
      _meta: { 'tidings/failure': { reason: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  it('requires a token, reports the limit as a refusal to retry later, and offers no event stream', async () => {
    await expect(connect({ token: 'tdg_wrong' })).rejects.toThrow();
    const poor = await surface.customer('Poor');
    await surface.limit(poor.organizationId, 4);
    const { call } = await connect({ token: poor.token });
    let refused: ToolAnswer | null = null;
    await until('the limit refuses a call', async () => {
      refused = await call('list_tags');
      return refused.isError === true;
    });
    expect(refused).toMatchObject({ _meta: { 'tidings/failure': { code: 'RATE_LIMITED', retryable: true } } });
    const headers = { authorization: `Bearer ${tenant.token}`, accept: 'text/event-stream' };
    expect((await fetch(`${surface.url}/api/mcp`, { headers })).status).toBe(405);
  });

  it('is not spoken by pages of other sites', async () => {
    const ask = (origin: string) => post({ method: 'tools/list' }, { origin });
    const refused = await ask('https://evil.example');
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain(
      'MCP requests from the web origin \\"https://evil.example\\" are not allowed',
    );
    expect((await ask(surface.url)).status).toBe(200);
  });
});
