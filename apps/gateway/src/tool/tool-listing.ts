import { z } from 'zod';
import { isReadOnly } from '#contracts';
import type { Category, CatalogueEntry } from '#contracts';

type JsonSchema = Record<string, unknown>;

export interface ListedTool {
  name: string;
  description: string;
  category: Category;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  requiresConfirmation: boolean;
  annotations: { readOnly: boolean; destructive: boolean; idempotent: boolean };
}

/** The responses of the listing, built once: contracts do not change while a process runs. */
export class ToolListing {
  readonly tools: readonly ListedTool[];
  readonly all: string;
  readonly #single: ReadonlyMap<string, string>;

  constructor(catalogue: ReadonlyMap<string, CatalogueEntry>, docs: string) {
    this.tools = [...catalogue.values()].map(listedTool);
    const grouped: Partial<Record<Category, ListedTool[]>> = {};
    for (const tool of this.tools) (grouped[tool.category] ??= []).push(tool);
    this.all = JSON.stringify({ success: true, total: this.tools.length, tools: this.tools, grouped, docs });
    this.#single = new Map(this.tools.map((tool) => [tool.name, JSON.stringify({ success: true, tool })]));
  }

  one(name: string): string {
    return this.#single.get(name)!;
  }
}

function listedTool({ name, contract }: CatalogueEntry): ListedTool {
  const requiresConfirmation = contract.confirm === true;
  const readOnly = isReadOnly(contract);
  const rules = [...(contract.rules ?? []), ...(requiresConfirmation ? [confirmationRule] : [])];
  return {
    name,
    description: [contract.summary, ...rules.map((rule) => `- ${rule}`)].join('\n'),
    category: contract.category,
    inputSchema: requiresConfirmation ? withCode(jsonSchema(contract.input)) : jsonSchema(contract.input),
    outputSchema: jsonSchema(contract.output),
    requiresConfirmation,
    annotations: {
      readOnly,
      destructive: contract.destructive === true,
      idempotent: readOnly || contract.idempotent === true,
    },
  };
}

const confirmationRule =
  'Asks first: the answer CONFIRMATION_REQUIRED says what will happen and carries a five-digit confirmationCode; the same call with that code, within five minutes, does it.';

// Decision: confirmationCode is accepted by every tool and listed only where it has an effect.
const withCode = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: {
    ...(schema.properties as JsonSchema),
    confirmationCode: {
      anyOf: [
        { type: 'integer', minimum: 10_000, maximum: 99_999 },
        { type: 'string', pattern: '^[1-9][0-9]{4}$' },
      ],
      description: 'The code of the CONFIRMATION_REQUIRED answer to this very call',
    },
  },
});

/**
 * JSON Schema 2020-12 of the wire format. Formats keep their name and lose the page-long patterns that zod adds; every
 * array declares its items, since some clients refuse a schema without them.
 */
export const jsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: made }) => {
      if (made.format !== undefined) delete made.pattern;
      if (made.type === 'array') made.items ??= {};
    },
  });
