import { catalogue } from '#contracts';
import type { Category } from '#contracts';
import type { ListedTool } from '../../tool/tool-listing.js';
import { compact, outputSchemaOf, rulesOf, summaryOf } from './mcp-tool.js';
import { parameterLine } from './parameter-line.js';

/** A tool as find_tools returns it: enough for a simple call. */
export const foundTool = ({ name, annotations, requiresConfirmation, inputSchema }: ListedTool) => ({
  name,
  summary: summaryOf(name),
  readOnly: annotations.readOnly,
  asks: requiresConfirmation,
  parameters: parametersOf(inputSchema),
  example: catalogue.get(name)!.contract.example,
});

/** The names of tools by toolset, as find_tools returns them without query. */
export function namesByToolset(tools: readonly ListedTool[]): Partial<Record<Category, string[]>> {
  const names: Partial<Record<Category, string[]>> = {};
  for (const { name, category } of tools) (names[category] ??= []).push(name);
  return names;
}

/** A tool as describe_tools and its resource return it: all that a call needs. */
export const describedTool = (tool: ListedTool, output: boolean) => ({
  name: tool.name,
  summary: summaryOf(tool.name),
  rules: rulesOf(tool),
  toolset: tool.category,
  readOnly: tool.annotations.readOnly,
  asks: tool.requiresConfirmation,
  inputSchema: compact(tool.inputSchema),
  refusals: catalogue.get(tool.name)!.contract.errors,
  example: catalogue.get(tool.name)!.contract.example,
  ...(output && { outputSchema: outputSchemaOf(tool) }),
});

/** A tool in one line, for a refusal that suggests it. */
export const suggestedTool = ({ name, inputSchema }: ListedTool): string =>
  `${name}(${parametersOf(inputSchema)}): ${summaryOf(name)}`;

/** That a tool asks first says that it takes a code. */
function parametersOf({ properties, required }: ListedTool['inputSchema']): string {
  const { confirmationCode: _, ...own } = properties as Record<string, unknown>;
  return parameterLine({ properties: own, required });
}
