import { z } from 'zod';
import { catalogue } from './catalogue.js';
import { version } from './version.js';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  prefixItems?: Schema[];
  description?: string;
}

export function clientTypes(): string {
  const tools = [...catalogue.values()].map(({ name, contract }) => {
    const input = typeText(z.toJSONSchema(contract.input, { io: 'input' }) as Schema);
    const data = typeText(z.toJSONSchema(contract.output, { io: 'output' }) as Schema);
    return `/** ${contract.summary.replaceAll('*/', '* /')} */\n${name}: { input: ${input}; data: ${data} };`;
  });
  const reading = [...catalogue.values()].filter(({ contract }) => contract.scope === 'read').map(({ name }) => name);
  return [
    '/* oxlint-disable max-lines -- generated from the contracts by `npm run generate` */',
    `export const version = ${JSON.stringify(version)};`,
    `/** Tools that change nothing. */\nexport const readingTools: ReadonlySet<string> = new Set(${JSON.stringify(reading)});`,
    `/** What each tool takes, and what it answers. */\nexport interface Tools {\n${tools.join('\n')}\n}`,
    '',
  ].join('\n\n');
}

function typeText(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return union(options.map(typeText));
  if (schema.allOf) return schema.allOf.map((one) => `(${typeText(one)})`).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeText({ ...schema, type })));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayText(schema);
    case 'object':
      return objectText(schema);
    default:
      return 'unknown';
  }
}

const union = (texts: readonly string[]) => `(${[...new Set(texts)].join(' | ')})`;

function arrayText({ items, prefixItems }: Schema): string {
  if (prefixItems) return `[${prefixItems.map(typeText).join(', ')}]`;
  return `(${items ? typeText(items) : 'unknown'})[]`;
}

function objectText({ properties, required = [], additionalProperties }: Schema): string {
  const rest = typeof additionalProperties === 'object' ? typeText(additionalProperties) : 'unknown';
  if (!properties) return `Record<string, ${rest}>`;
  if (Object.keys(properties).length === 0 && additionalProperties === false) return 'Record<string, never>';
  const fields = Object.entries(properties).map(([key, one]) => {
    const name = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
    const described = one.description ? `/** ${one.description.replaceAll('*/', '* /')} */\n` : '';
    const optional = required.includes(key) ? '' : '?';
    return `${described}${name}${optional}: ${typeText(one)}${optional && ' | undefined'};`;
  });
  const open = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0;
  return `{\n${[...fields, ...(open ? ['[key: string]: unknown;'] : [])].join('\n')}\n}`;
}
