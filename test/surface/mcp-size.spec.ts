import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalogue } from '#contracts';
import { McpClients, tokensOf } from './mcp-client.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

type Schema = {
  properties: Record<string, { const?: unknown }>;
  required?: string[];
  anyOf?: { required: string[] }[];
};
interface WholeFilters {
  filters: { type: string; fields: { field: string; operators: { operator: string; params: Schema }[] }[] }[];
}
interface CompactFilters {
  filters: {
    type: string;
    field?: string[];
    valueType?: string[];
    target?: string;
    operators: Record<string, string[]>;
  }[];
  examples: object[];
  group: { example: object };
}

describe('MCP in size', () => {
  let surface: ApiFixture;
  let tenant: ApiTenant;
  const clients = new McpClients(() => surface.url);
  const connect = (query = '') => clients.connect({ token: tenant.token, path: `/api/mcp${query}` });

  beforeAll(async () => {
    surface = await ApiFixture.start();
    tenant = await surface.customer();
    await tenant.client.data('add_subscriber', {
      email: 'ada@example.com',
      tags: ['customer'],
      fields: { city: 'Paris' },
    });
    await tenant.client.data('create_segment', { name: 'Customers' });
    await tenant.client.data('create_workflow', { name: 'Welcome' });
  });
  afterAll(async () => {
    await clients.close();
    await surface.stop();
  });

  it('lists by default the core and its own four tools in 12,000 tokens, with instructions of 1,500 bytes', async () => {
    const { tools, names, client } = await connect();
    const core = [...catalogue.values()].filter(({ contract }) => contract.core).map(({ name }) => name);
    expect(names).toEqual(['find_tools', 'describe_tools', 'call_read_tool', 'call_tool', ...core]);
    const [all, full, whole] = await Promise.all(
      ['?toolsets=all', '?schemas=full', '?toolsets=all&schemas=full'].map(
        async (query) => (await connect(query)).tools,
      ),
    );
    expect(tokensOf({ tools })).toBeLessThanOrEqual(12_000);
    for (const tool of tools) expect(tokensOf(tool)).toBeLessThanOrEqual(700);
    for (const { name, description, outputSchema } of all!) {
      expect({ name, fits: description!.length <= 500 }).toEqual({ name, fits: true });
      expect(outputSchema).toBeUndefined();
    }
    expect(Buffer.byteLength(client.getInstructions()!)).toBeLessThanOrEqual(1_500);
    const sizes = [tools, all, full, whole].map((listed) => `${listed!.length} tools ${tokensOf({ tools: listed })}`);
    process.stdout.write(
      `MCP listing in tokens: default ${sizes[0]}, toolsets=all ${sizes[1]}, schemas=full ${sizes[2]}, both ${sizes[3]}\n`,
    );
  });

  it('calls a tool that is not listed by its own name, and by call_tool and call_read_tool', async () => {
    const { call, names } = await connect();
    expect(names).not.toContain('get_custom_fields');
    const fields = await call('get_custom_fields');
    expect(fields.structuredContent).toMatchObject({ customFields: [{ name: 'city' }] });
    const made = await call('call_tool', { name: 'create_custom_field', arguments: { name: 'shoe size' } });
    expect(made.structuredContent).toMatchObject({ customField: { name: 'shoe size' } });
    const read = await call('call_read_tool', { name: 'get_custom_fields' });
    expect(read.structuredContent).toMatchObject({ customFields: [{ name: 'city' }, { name: 'shoe size' }] });
    expect(JSON.parse(read.content[0]!.text)).toEqual(read.structuredContent);
  });

  it('refuses a writing tool through call_read_tool, and faults of the call and of its arguments with their paths', async () => {
    const { call } = await connect();
    const issuesOf = async (name: string, body: Record<string, unknown>) => {
      const answer = await call(name, body);
      expect(answer.isError).toBe(true);
      return (answer._meta!['tidings/failure'] as { issues: object[] }).issues;
    };
    expect(await issuesOf('call_read_tool', { name: 'create_tag', arguments: { name: 'x' } })).toEqual([
      { path: ['name'], message: 'create_tag changes data: use call_tool' },
    ]);
    expect(await issuesOf('call_tool', { name: 'find_tools' })).toEqual([
      { path: ['name'], message: 'find_tools is called by its own name, not through call_tool' },
    ]);
    expect(await issuesOf('call_tool', { tool: 'create_tag', arguments: [] })).toEqual(
      expect.arrayContaining([
        { path: ['name'], message: 'is required' },
        { path: ['arguments'], message: 'must be an object, not an array' },
      ]),
    );
    expect(await issuesOf('call_tool', { name: 'create_tag', arguments: { nmae: 'x' } })).toEqual([
      { path: ['nmae'], message: 'unknown parameter; did you mean name?' },
    ]);
    expect(await issuesOf('describe_tools', { names: [] })).toEqual([
      { path: ['names'], message: 'must have at least 1 item' },
    ]);
    expect(await issuesOf('find_tools', { limit: 11 })).toEqual([{ path: ['limit'], message: 'must be at most 10' }]);
    expect((await call('list_tags')).structuredContent).toMatchObject({ total: 1 });
  });

  it('confirms through call_tool, by a code inside arguments or by the person of the client', async () => {
    const { call } = await connect();
    const person = await clients.connect({ token: tenant.token }, () => ({
      action: 'accept',
      content: { confirm: true },
    }));
    await call('call_tool', { name: 'get_or_create_tags', arguments: { names: ['doomed', 'asked'] } });
    const question = await call('call_tool', { name: 'delete_tag', arguments: { name: 'doomed' } });
    expect(question.content[0]!.text).toContain('added to arguments');
    const { confirmationCode } = question.structuredContent;
    const done = await call('call_tool', { name: 'delete_tag', arguments: { name: 'doomed', confirmationCode } });
    expect(done.structuredContent).toMatchObject({ deleted: true, tag: { name: 'doomed' } });
    const asked = await person.call('call_tool', { name: 'delete_tag', arguments: { name: 'asked' } });
    expect(asked.structuredContent).toMatchObject({ deleted: true, tag: { name: 'asked' } });
  });

  it('carries a call of call_tool out once for an idempotency key, as the tool by its own name does', async () => {
    const { call } = await connect();
    const meta = { idempotencyKey: 'by-call_tool' };
    const made = await call('call_tool', { name: 'create_campaign', arguments: { subject: 'Once' } }, meta);
    const again = await call('create_campaign', { subject: 'Once' }, meta);
    expect(again.structuredContent).toEqual(made.structuredContent);
  });

  it('shows with each tool that it finds what a call needs, and the rest with describe_tools', async () => {
    const { call } = await connect();
    const { structuredContent } = await call('find_tools', { query: 'change the title of an extra column', limit: 3 });
    const found = structuredContent.tools as { name: string }[];
    expect(found).toHaveLength(3);
    expect(found).toContainEqual({
      name: 'rename_custom_field',
      summary: catalogue.get('rename_custom_field')!.contract.summary,
      readOnly: false,
      asks: false,
      parameters: 'fieldId: text, name: text',
      example: catalogue.get('rename_custom_field')!.contract.example,
    });
    const described = await call('describe_tools', { names: ['delete_tag', 'list_tags'], output: true });
    expect(described.structuredContent.tools).toMatchObject([
      {
        name: 'delete_tag',
        toolset: 'tags',
        asks: true,
        rules: expect.arrayContaining([expect.stringContaining('confirmationCode')]),
        refusals: catalogue.get('delete_tag')!.contract.errors,
        example: { name: 'obsolete' },
        inputSchema: { properties: { tagId: { type: 'string' } }, additionalProperties: false },
      },
      { name: 'list_tags', readOnly: true, outputSchema: { properties: { tags: { type: 'array' } } } },
    ]);
  });

  it('answers an unknown name with the three nearest tools and their parameters', async () => {
    const { call } = await connect();
    for (const answer of [
      await call('remove_contact_field', { name: 'x' }),
      await call('call_tool', { name: 'remove_contact_field', arguments: {} }),
      await call('describe_tools', { names: ['list_tags', 'remove_contact_field'] }),
    ]) {
      expect(answer.isError).toBe(true);
      const [sentence, ...lines] = answer.content[0]!.text.split('\n');
      expect(sentence).toMatch(/There is no tool "remove_contact_field"\..* find_tools lists all tools\./);
      expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(3);
      expect(lines).toContainEqual(expect.stringMatching(/^- delete_custom_field\(fieldId: text\): Deletes/));
    }
  });

  it('returns every filter in 2,000 tokens, text and data together, and loses none that HTTP callers get', async () => {
    const { call, client } = await connect();
    const { structuredContent, content } = await call('get_available_filters');
    const compact = structuredContent as unknown as CompactFilters;
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
    expect(tokensOf(content[0]!.text) + tokensOf(structuredContent)).toBeLessThanOrEqual(2_000);
    const whole = await tenant.client.data<WholeFilters>('get_available_filters', {});
    expect(compactRows(compact).sort()).toEqual(wholeRows(whole).sort());
    for (const filter of [...compact.examples, compact.group.example]) {
      expect((await call('count_subscribers', { filters: [filter] })).isError).toBeFalsy();
    }
    expect((await call('call_read_tool', { name: 'get_available_filters' })).structuredContent).toEqual(compact);
    for (const { type } of whole.filters) {
      const { contents } = await client.readResource({ uri: `tidings://filters/${type}` });
      expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(
        whole.filters.find((one) => one.type === type),
      );
    }
  });

  it('has each tool and filter type as a resource', async () => {
    const { client } = await connect();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'tidings://tools/{name}',
      'tidings://filters/{type}',
    ]);
    const read = async (uri: string) =>
      JSON.parse(((await client.readResource({ uri })).contents[0] as { text: string }).text) as object;
    expect(await read('tidings://tools/delete_tag')).toMatchObject({ name: 'delete_tag', outputSchema: {} });
    expect(await read('tidings://filters/group')).toMatchObject({ depthMax: 3, params: {} });
    await expect(read('tidings://tools/none')).rejects.toThrow(/find_tools/);
    await expect(read('tidings://filters/none')).rejects.toThrow(/get_available_filters/);
  });
});

const rowOf = (type: string, field: string, operator: string, target: string[], values: string[]) =>
  `${type} ${field} ${operator} target ${target.sort().join(' ')} values ${values.sort().join(' ')}`;

/** Type, field, operator and the names of the values of each filter, as the JSON Schemas say. */
function wholeRows({ filters }: WholeFilters): string[] {
  return filters.flatMap(({ type, fields }) =>
    fields.flatMap(({ field, operators }) =>
      operators.map(({ operator, params: { properties, required = [], anyOf = [] } }) => {
        const target = anyOf.flatMap((way) => way.required);
        const values = Object.keys(properties).filter(
          (name) => properties[name]!.const === undefined && !target.includes(name),
        );
        const marked = values.map((name) => (required.includes(name) ? name : `${name}?`));
        return rowOf(type, field, operator, target, marked);
      }),
    ),
  );
}

/** The same from the compact form. */
function compactRows({ filters }: CompactFilters): string[] {
  const namesIn = (text: string) => [...text.matchAll(/\w+\??(?=:| or )/g)].map(([name]) => name);
  return filters.flatMap(({ type, field, valueType, target = '', operators }) =>
    (field ?? valueType!).flatMap((name) =>
      Object.entries(operators).flatMap(([values, all]) =>
        all.map((operator) =>
          rowOf(type, name, operator, namesIn(target), values === 'no value' ? [] : namesIn(values)),
        ),
      ),
    ),
  );
}
