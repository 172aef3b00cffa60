import { z } from 'zod';
import { catalogue } from './catalogue.js';
import type { CatalogueEntry } from './catalogue.js';
import { reasons, statusOfCode } from './errors.js';

type Property = {
  type?: string | string[];
  anyOf?: Property[];
  enum?: unknown[];
  default?: unknown;
  description?: string;
  items?: Property;
};

/** The reference of all tools as Markdown, from the contracts alone. */
export function toolReference(): string {
  const categories = [...new Set([...catalogue.values()].map(({ contract }) => contract.category))];
  const sections = categories.map((category) => {
    const entries = [...catalogue.values()].filter(({ contract }) => contract.category === category);
    return `## ${category}\n\n${entries.map(toolSection).join('\n')}`;
  });
  return `# Tools\n\nThis page is generated from the contracts (\`npm run generate\`). Each tool is called with \`POST /api/v2/tools/{name}\`.\n\n${sections.join('\n')}`;
}

function toolSection({ name, service, contract }: CatalogueEntry): string {
  const { properties = {}, required = [] } = z.toJSONSchema(contract.input, { io: 'input' }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  const rows = Object.entries(properties).map(([key, property]) => {
    const facts = [
      required.includes(key) ? 'required' : '',
      property.default === undefined ? '' : `default \`${JSON.stringify(property.default)}\``,
    ];
    return `| ${key} | ${typeText(property)} | ${[...facts, property.description ?? ''].filter(Boolean).join('; ').replaceAll('|', '\\|')} |`;
  });
  const refusals = contract.errors.map((reason) => `${reason} (${statusOfCode[reasons[reason].code]})`);
  return [
    `### ${name}`,
    '',
    [contract.summary, ...(contract.rules ?? [])].join(' '),
    '',
    `Owner: ${service}. Scope: ${contract.scope}.${contract.confirm ? ' Asks for confirmation.' : ''}`,
    ...(rows.length > 0 ? ['', '| parameter | type | |', '|---|---|---|', ...rows] : []),
    ...(refusals.length > 0 ? ['', `Refusals: ${refusals.join(', ')}.`] : []),
    '',
    '```json',
    JSON.stringify(contract.example),
    '```',
    '',
  ].join('\n');
}

function typeText(property: Property): string {
  if (property.enum) return property.enum.map(String).join(', ');
  if (property.anyOf) return [...new Set(property.anyOf.map(typeText))].join(' or ');
  if (property.type === 'array') return `array of ${property.items ? typeText(property.items) : 'any'}`;
  return property.type === undefined ? 'any' : [property.type].flat().join(' or ');
}
