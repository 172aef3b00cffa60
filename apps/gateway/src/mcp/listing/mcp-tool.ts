import { catalogue } from '#contracts';
import { confirmationQuestionSchema } from '../../tool/confirmation-question.js';
import { jsonSchema } from '../../tool/tool-listing.js';
import type { ListedTool } from '../../tool/tool-listing.js';
import { compactForms } from '../compact-filters.js';

type JsonSchema = Record<string, unknown>;

export interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema?: { type: 'object'; [key: string]: unknown };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** Clients cut descriptions or load all of them; what does not fit is in describe_tools. */
export const descriptionMax = 500;

/** Tools that call other machines; some return text of third parties. */
const askOutside = ['fetch_web_page', 'upload_image', 'auto_fit_campaign_images', 'verify_domain', 'verify_web_domain'];

const confirmationRule = 'Asks first: repeat the same call with the confirmationCode of the answer.';
const moreRules = 'More rules: describe_tools.';

export function mcpTool(tool: ListedTool, full: boolean): McpTool {
  const { name, annotations, requiresConfirmation } = tool;
  return {
    name,
    title: titleOf(name),
    description: full ? tool.description : briefDescription(tool),
    inputSchema: { type: 'object', ...compact(tool.inputSchema) },
    ...(full && { outputSchema: { type: 'object' as const, ...outputSchemaOf(tool) } }),
    annotations: {
      readOnlyHint: annotations.readOnly,
      destructiveHint: annotations.destructive || requiresConfirmation,
      idempotentHint: annotations.idempotent,
      // Mail leaves this system.
      openWorldHint: ['test', 'send'].includes(contractOf(name).scope) || askOutside.includes(name),
    },
  };
}

export const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const contractOf = (name: string) => catalogue.get(name)!.contract;

/** One or two sentences on a tool, as its answers over MCP are. */
export const summaryOf = (name: string): string => compactForms[name]?.summary ?? contractOf(name).summary;

export const rulesOf = ({ name, requiresConfirmation }: ListedTool): string[] => [
  ...(contractOf(name).rules ?? []),
  ...(requiresConfirmation ? [confirmationRule] : []),
];

/** The summary and the rules that fit in 500 characters, the confirmation always among them. */
function briefDescription(tool: ListedTool): string {
  const { brief, rules = [] } = contractOf(tool.name);
  const start = [brief ?? summaryOf(tool.name), ...(tool.requiresConfirmation ? [confirmationRule] : [])];
  const whole = [...start, ...rules].join(' ');
  if (whole.length <= descriptionMax && !brief) return whole;
  const fitting = brief ? [] : [...rules];
  while ([...start, ...fitting, moreRules].join(' ').length > descriptionMax) fitting.pop();
  return [...start, ...fitting, moreRules].join(' ');
}

/** The JSON Schema of a tool's data; a tool that asks first may answer with the question instead. */
export function outputSchemaOf({ name, outputSchema, requiresConfirmation }: ListedTool): JsonSchema {
  const form = compactForms[name];
  const data = compact(form ? jsonSchema(form.schema) : outputSchema);
  return requiresConfirmation
    ? { type: 'object', anyOf: [data, compact(jsonSchema(confirmationQuestionSchema))] }
    : data;
}

/** A schema without what refuses nothing: its dialect, the bounds of exact integers, and empty schemas for other keys. */
export function compact(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  return without(rest) as JsonSchema;
}

function without(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(without);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !saysNothing(key, inner))
      .map(([key, inner]) => [key, without(inner)]),
  );
}

const saysNothing = (key: string, value: unknown): boolean =>
  (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
  (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
  (key === 'additionalProperties' && JSON.stringify(value) === '{}') ||
  (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}');
