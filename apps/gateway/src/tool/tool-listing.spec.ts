import { describe, expect, it } from '@jest/globals';
import { catalogue } from '#contracts';
import { ToolListing } from './tool-listing.js';

const { tools } = new ToolListing(catalogue, 'http://localhost/docs');

/** Every schema inside a schema. */
function* schemasIn(value: unknown): Generator<Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* schemasIn(inner);
}

describe('the listing of tools', () => {
  it.each(tools.map((tool) => [tool.name, tool] as const))(
    'describes %s so that strict clients take it',
    (_name, tool) => {
      for (const schema of [...schemasIn(tool.inputSchema), ...schemasIn(tool.outputSchema)]) {
        if (schema.type === 'array') expect(schema).toHaveProperty('items');
        if (typeof schema.pattern === 'string') expect(schema.pattern.length).toBeLessThan(100);
      }
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.description).toContain(catalogue.get(tool.name)!.contract.summary);
    },
  );

  it('calls only tools read-only that the gateway may repeat when a reply is lost', () => {
    const readOnly = tools.filter(({ annotations }) => annotations.readOnly).map(({ name }) => name);
    const read = /^(list|get|search|count|preview|query)_/;
    // An export and a simulation write a result of their own, which expires; a repeat writes another.
    expect(readOnly.filter((name) => !read.test(name)).sort()).toEqual([
      'explain',
      'export_subscribers',
      'fetch_web_page',
      'render_campaign',
      'simulate_workflow',
      'validate_workflow_draft',
    ]);
    // Some of their calls need the scope `read` alone, and yet change something.
    expect(readOnly).not.toEqual(expect.arrayContaining(['rotate_api_token']));
  });

  it('asks for a code only where one means something', () => {
    for (const { requiresConfirmation, inputSchema } of tools) {
      expect(Object.hasOwn(inputSchema.properties as object, 'confirmationCode')).toBe(requiresConfirmation);
    }
  });

  it('calls reading tools read-only and idempotent', () => {
    const readOnly = tools.filter(({ annotations }) => annotations.readOnly);
    expect(readOnly.map(({ name }) => name)).toContain('list_tags');
    expect(readOnly.every(({ annotations }) => annotations.idempotent && !annotations.destructive)).toBe(true);
  });
});
