import { catalogue, permits, scopeOf } from '#contracts';
import type { TokenFacts } from '#contracts';
import { nearest, ToolError } from '#tool-call';
import { confirmationQuestionSchema } from '../tool/confirmation-question.js';
import { jsonSchema } from '../tool/tool-listing.js';
import type { ListedTool } from '../tool/tool-listing.js';

/** A tool as MCP lists it. */
export interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema: { type: 'object'; [key: string]: unknown };
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** The part of the catalogue that an endpoint's query selects. */
export interface McpScope {
  /** Null for all. */
  toolsets: readonly string[] | null;
  readOnly: boolean;
}

/** Tools that call other machines; some return text of third parties. */
const askOutside = ['fetch_web_page', 'upload_image', 'auto_fit_campaign_images', 'verify_domain', 'verify_web_domain'];

/** Reads `?toolsets=a,b` and `?readonly=1`. @throws ToolError PARAMETERS_INVALID for an unknown toolset or switch */
export function readScope(query: Record<string, unknown>): McpScope {
  const known = [...new Set([...catalogue.values()].map(({ contract }) => contract.category))];
  const asked = ['toolsets', 'toolset'].flatMap((name) => given(name, query)).flatMap((text) => text.split(','));
  const toolsets = asked.map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
  const wrong = toolsets.find((name) => !(known as string[]).includes(name));
  if (wrong !== undefined) {
    const guess = nearest(wrong, known);
    const message = `has no toolset "${wrong.slice(0, 40)}"${guess ? `; did you mean ${guess}?` : '.'} They are ${known.join(', ')}`;
    throw refused('toolsets', message);
  }
  return { toolsets: toolsets.length > 0 ? toolsets : null, readOnly: readSwitch('readonly', query) };
}

const on = ['1', 'true', 'yes', 'on', ''];
const off = ['0', 'false', 'no', 'off'];

/** Values of a parameter, in any spelling of its name: a restriction must not fail open on a typing error. */
const given = (name: string, query: Record<string, unknown>): string[] =>
  Object.entries(query)
    .filter(([key]) => key.toLowerCase().replace(/[_-]/g, '') === name)
    .flatMap(([, value]) => [value].flat().map((one) => String(one).trim().toLowerCase()));

function readSwitch(name: string, query: Record<string, unknown>): boolean {
  const values = given(name, query);
  const wrong = values.find((value) => !on.includes(value) && !off.includes(value));
  if (wrong !== undefined) throw refused(name, `must be 1 or 0, not "${wrong.slice(0, 40)}"`);
  return values.some((value) => on.includes(value));
}

const refused = (name: string, message: string): ToolError =>
  new ToolError('PARAMETERS_INVALID', { summary: `${name}: ${message}.` }, { issues: [{ path: [name], message }] });

/** The part of the catalogue that a token sees at an endpoint; omitted tools are treated as unknown. */
export class McpView {
  readonly tools: readonly ListedTool[];

  constructor(all: readonly ListedTool[], token: Pick<TokenFacts, 'scopes'>, { toolsets, readOnly }: McpScope) {
    this.tools = all.filter(({ name, category, annotations }) => {
      return (
        permits(token.scopes, scopeOf(catalogue.get(name)!.contract)) &&
        (toolsets === null || toolsets.includes(category)) &&
        (!readOnly || annotations.readOnly)
      );
    });
  }

  /** @throws ToolError TOOL_UNKNOWN with the nearest visible tool */
  assertHas(name: string): void {
    const names = this.tools.map((tool) => tool.name);
    if (names.includes(name)) return;
    throw new ToolError('TOOL_UNKNOWN', { name: name.slice(0, 100), nearest: nearest(name, names) });
  }

  list(): McpTool[] {
    return this.tools.map(mcpTool);
  }
}

function mcpTool({
  name,
  description,
  inputSchema,
  outputSchema,
  requiresConfirmation,
  annotations,
}: ListedTool): McpTool {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
  const data = plain(outputSchema);
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', ...plain(inputSchema) },
    outputSchema: requiresConfirmation
      ? { type: 'object', anyOf: [data, confirmationSchema()] }
      : { type: 'object', ...data },
    annotations: {
      title,
      readOnlyHint: annotations.readOnly,
      destructiveHint: annotations.destructive || requiresConfirmation,
      idempotentHint: annotations.idempotent,
      // Mail leaves this system.
      openWorldHint: catalogue.get(name)!.contract.scope === 'send' || askOutside.includes(name),
    },
  };
}

/** The question is a normal result of a tool that asks first. */
const confirmationSchema = () => plain(jsonSchema(confirmationQuestionSchema));

const plain = ({ $schema: _, ...schema }: Record<string, unknown>) => schema;
