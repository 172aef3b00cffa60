export interface SplitMessage {
  rest: unknown;
  /** Undefined for a message that is no tool call with an object of arguments. */
  toolArguments: Record<string, unknown> | undefined;
}

/**
 * Takes the arguments out of a tool call (MCP 2025-06-18, tools/call) and leaves an empty object in their place: the MCP
 * library copies them, and loses `__proto__` keys that a refusal must name.
 */
export function takeToolArguments(message: unknown): SplitMessage {
  if (!isObject(message) || message.method !== 'tools/call') return { rest: message, toolArguments: undefined };
  const { params } = message;
  if (!isObject(params) || !isObject(params.arguments)) return { rest: message, toolArguments: undefined };
  return { rest: { ...message, params: { ...params, arguments: {} } }, toolArguments: params.arguments };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
