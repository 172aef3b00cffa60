import { z } from 'zod';
import { catalogue } from './catalogue.js';
import type { CatalogueEntry } from './catalogue.js';
import { refusalsOf } from './define.js';
import { statusOfCode } from './error-code.js';
import { reasons } from './errors.js';
import type { Reason } from './errors.js';
import { v1Endpoints } from './v1/endpoints.js';

type Property = {
  type?: string | string[];
  anyOf?: Property[];
  enum?: unknown[];
  default?: unknown;
  description?: string;
  items?: Property;
  properties?: Record<string, Property>;
};

export function toolReference(): string {
  const categories = [...new Set([...catalogue.values()].map(({ contract }) => contract.category))];
  const sections = categories.map((category) => {
    const entries = [...catalogue.values()].filter(({ contract }) => contract.category === category);
    return `## ${category}\n\n${entries.map(toolSection).join('\n')}`;
  });
  return `# Tools\n\nEach tool is called with \`POST /api/v2/tools/{name}\`.\n\n${sections.join('\n')}`;
}

export function v1Reference(): string {
  const sections = v1Endpoints.map(({ method, path, summary, scope, parameters, answer, errors }) =>
    section(`${method} /api/v1${path}`, [
      `${summary} Scope: ${scope}.`,
      ...parameterLines(parameters),
      ...resultLines(answer),
      ...refusalLines(errors),
    ]),
  );
  return `## v1\n\nThe same services by paths; no confirmation. Path parameters are in the path; other parameters of GET are in the query, all others in the body.\n\n${sections.join('\n')}`;
}

const toolSection = ({ name, service, contract }: CatalogueEntry): string =>
  section(name, [
    [contract.summary, ...(contract.rules ?? [])].join(' '),
    '',
    `Owner: ${service}. Scope: ${contract.scope}${contract.lighter ? ` (harmless calls: ${contract.lighter.scope})` : ''}.${contract.confirm ? ' Asks for confirmation.' : ''}${contract.locks ? ' Supports If-Match.' : ''}`,
    ...parameterLines(contract.input),
    ...resultLines(contract.output),
    ...refusalLines(refusalsOf(contract)),
    '',
    '```json',
    JSON.stringify(contract.example),
    '```',
  ]);

const section = (title: string, lines: readonly string[]): string => [`### ${title}`, '', ...lines, ''].join('\n');

function parameterLines(schema: z.ZodObject): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as {
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
  return rows.length > 0 ? ['', '| parameter | type | |', '|---|---|---|', ...rows] : [];
}

/** The fields of a result; a result that is one of several shapes has the fields of all. */
function resultLines(schema: z.ZodType): string[] {
  const fieldsOf = (shape: Property): string[] => [
    ...Object.keys(shape.properties ?? {}),
    ...(shape.anyOf ?? []).flatMap(fieldsOf),
  ];
  const fields = fieldsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Property);
  return fields.length > 0 ? ['', `Returns: ${[...new Set(fields)].map((name) => `\`${name}\``).join(', ')}.`] : [];
}

function refusalLines(errors: readonly Reason[]): string[] {
  const refusals = errors.map((reason) => `${reason} (${statusOfCode[reasons[reason].code]})`);
  return refusals.length > 0 ? ['', `Refusals: ${refusals.join(', ')}.`] : [];
}

function typeText(property: Property): string {
  if (property.enum) return property.enum.map(String).join(', ');
  if (property.anyOf) return [...new Set(property.anyOf.map(typeText))].join(' or ');
  if (property.type === 'array') return `array of ${property.items ? typeText(property.items) : 'any'}`;
  return property.type === undefined ? 'any' : [property.type].flat().join(' or ');
}
