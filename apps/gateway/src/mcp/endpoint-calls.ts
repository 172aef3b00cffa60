import { parseInput, ToolError } from '#tool-call';
import { checkForm } from '../http/json-body.js';
import { endpointTools, isEndpointTool } from './listing/endpoint-tools.js';
import { describedTool, foundTool, namesByToolset } from './listing/tool-facts.js';
import type { McpView } from './mcp-view.js';

/** The tool that a call means, which call_tool and call_read_tool name in their arguments. */
export interface McpTarget {
  name: string;
  body: unknown;
  /** The endpoint's tool by which it is called; null when it is called by its own name. */
  by: CallerName | null;
}

type FinderName = 'find_tools' | 'describe_tools';
type CallerName = 'call_tool' | 'call_read_tool';

export const isFinder = (name: string): name is FinderName => name === 'find_tools' || name === 'describe_tools';

export const isCaller = (name: string): name is CallerName => name === 'call_tool' || name === 'call_read_tool';

export function runFinder(view: McpView, name: FinderName, body: unknown): Record<string, unknown> {
  const { value, issues } = checkForm(body);
  if (name === 'describe_tools') {
    const { names, output } = parseInput(endpointTools.describe_tools.input, value, issues);
    return { tools: names.map((one) => describedTool(view.get(one), output)) };
  }
  const { query, limit } = parseInput(endpointTools.find_tools.input, value, issues);
  return query ? { tools: view.find(query, limit).map(foundTool) } : { toolsets: namesByToolset(view.tools) };
}

/**
 * Arguments of call_tool and call_read_tool are handed on as received: they are checked once, with the tool's own
 * schema.
 */
export function readTarget(view: McpView, by: CallerName, body: unknown): McpTarget {
  const given = (body as { arguments?: unknown }).arguments;
  const isObject = given !== null && typeof given === 'object' && !Array.isArray(given);
  const { value, issues } = checkForm(isObject ? { ...(body as object), arguments: {} } : body);
  const { name } = parseInput(endpointTools[by].input, value, issues);
  if (isEndpointTool(name)) throw wrongName(`${name} is called by its own name, not through ${by}`);
  const { annotations } = view.get(name);
  if (by === 'call_read_tool' && !annotations.readOnly) throw wrongName(`${name} changes data: use call_tool`);
  return { name, body: given ?? {}, by };
}

const wrongName = (message: string): ToolError =>
  new ToolError('PARAMETERS_INVALID', { summary: `name: ${message}.` }, { issues: [{ path: ['name'], message }] });
