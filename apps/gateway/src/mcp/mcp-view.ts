import { catalogue, coreToolset, isInToolset, isWithinToolsets, permits, scopeOf } from '#contracts';
import type { CallerFacts } from '../auth/caller-facts.js';
import { closestName, ToolError } from '#tool-call';
import type { ListedTool } from '../tool/tool-listing.js';
import { endpointTool, endpointTools } from './listing/endpoint-tools.js';
import type { EndpointToolName } from './listing/endpoint-tools.js';
import { mcpTool } from './listing/mcp-tool.js';
import type { McpTool } from './listing/mcp-tool.js';
import { ToolSearch } from './listing/tool-search.js';

/** The part of the catalogue that an endpoint's query selects. */
export interface McpScope {
  /** The toolsets that are listed and may be called; null: `core` is listed, and all may be called. */
  toolsets: readonly string[] | null;
  readOnly: boolean;
  fullSchemas: boolean;
}

/** The toolset of every tool, beside those that may bound a token. */
const everything = 'all';

/**
 * Reads `?toolsets=a,b`, `?readonly=1` and `?schemas=full`.
 * @throws ToolError PARAMETERS_INVALID for an unknown toolset, switch or form of schemas
 */
export function readScope(query: Record<string, unknown>): McpScope {
  const used = new Set<string>([...catalogue.values()].map(({ contract }) => contract.category));
  const known = [...used, coreToolset, everything];
  const asked = ['toolsets', 'toolset'].flatMap((name) => given(name, query)).flatMap((text) => text.split(','));
  const toolsets = asked.map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
  const wrong = toolsets.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    const guess = closestName(wrong, known);
    const message = `has no toolset "${wrong.slice(0, 40)}"${guess ? `; did you mean ${guess}?` : '.'} They are ${known.join(', ')}`;
    throw refused('toolsets', message);
  }
  return {
    toolsets: toolsets.length > 0 ? toolsets : null,
    readOnly: readSwitch('readonly', query),
    fullSchemas: readFullSchemas(query),
  };
}

function readFullSchemas(query: Record<string, unknown>): boolean {
  const values = given('schemas', query);
  const wrong = values.find((value) => value !== 'full');
  if (wrong !== undefined) throw refused('schemas', `must be full, not "${wrong.slice(0, 40)}"`);
  return values.length > 0;
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

/** TOOL_UNKNOWN, with the tools that may have been meant. */
export class UnknownTool extends ToolError<'TOOL_UNKNOWN'> {
  constructor(
    name: string,
    nearestName: string | null,
    readonly suggestions: readonly ListedTool[],
  ) {
    super('TOOL_UNKNOWN', { name: name.slice(0, 100), nearest: nearestName, by: 'find_tools' });
  }
}

const search = new ToolSearch(catalogue.values());

/** The tools that a token may call at an endpoint, and those listed there; other tools are treated as unknown. */
export class McpView {
  readonly tools: readonly ListedTool[];
  readonly #listed: readonly ListedTool[];
  readonly #byName: ReadonlyMap<string, ListedTool>;

  constructor(
    all: readonly ListedTool[],
    token: BoundToken,
    private readonly scope: McpScope,
  ) {
    this.tools = all.filter((tool) => isAllowed(tool, token, scope));
    this.#listed = scope.toolsets === null ? this.tools.filter((tool) => isIn(coreToolset, tool)) : this.tools;
    this.#byName = new Map(this.tools.map((tool) => [tool.name, tool]));
  }

  /** @throws UnknownTool with the three nearest visible tools */
  get(name: string): ListedTool {
    const tool = this.#byName.get(name);
    if (tool) return tool;
    const names = this.#names();
    const suggestions = search.nearest(name.slice(0, 100), names).map((one) => this.get(one));
    throw new UnknownTool(name, closestName(name, names), suggestions);
  }

  list(): McpTool[] {
    const { fullSchemas } = this.scope;
    const own = (Object.keys(endpointTools) as EndpointToolName[]).filter((name) => this.#isOffered(name));
    return [...own.map(endpointTool), ...this.#listed.map((tool) => mcpTool(tool, fullSchemas))];
  }

  find(query: string, limit: number): ListedTool[] {
    return search.find(query, this.#names(), limit).map((name) => this.get(name));
  }

  #names(): string[] {
    return [...this.#byName.keys()];
  }

  #isOffered(name: EndpointToolName): boolean {
    return endpointTools[name].hints.readOnlyHint || this.tools.some(({ annotations }) => !annotations.readOnly);
  }
}

type BoundToken = Pick<CallerFacts, 'scopes'> & Partial<Pick<CallerFacts, 'toolsets'>>;

function isAllowed(tool: ListedTool, token: BoundToken, { toolsets, readOnly }: McpScope): boolean {
  const { contract } = catalogue.get(tool.name)!;
  return (
    (permits(token.scopes, scopeOf(contract)) || permits(token.scopes, contract.scope)) &&
    isWithinToolsets(token.toolsets, contract) &&
    (toolsets === null || toolsets.some((toolset) => isIn(toolset, tool))) &&
    (!readOnly || tool.annotations.readOnly)
  );
}

const isIn = (toolset: string, { name }: ListedTool): boolean =>
  toolset === everything || isInToolset(toolset, catalogue.get(name)!.contract);
