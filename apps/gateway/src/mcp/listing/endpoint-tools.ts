import { z } from 'zod';
import { jsonSchema } from '../../tool/tool-listing.js';
import { compact, titleOf } from './mcp-tool.js';
import type { McpTool } from './mcp-tool.js';

const namesMax = 5;
const toolName = z.string().trim().min(1).max(100);
const wholeCall = z.strictObject({
  name: toolName.describe('As find_tools returns it'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe("The tool's own parameters"),
});

/** The tools of the endpoint itself, by which an agent reaches those that are not listed. */
export const endpointTools = {
  find_tools: {
    description:
      'Finds tools of Tidings by plain words, for what no listed tool does: say what you want to do. Returns the best matches with parameters and an example. Without query, returns all names by toolset.',
    input: z.strictObject({
      query: z.string().trim().max(300).optional().describe('Such as: rename a custom field'),
      limit: z.int().min(1).max(10).default(5),
    }),
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  describe_tools: {
    description:
      'Returns all that a call of these tools needs: input schema, rules, refusals, and an example in which {campaignId} and the like stand for your ids.',
    input: z.strictObject({
      names: z.array(toolName).min(1).max(namesMax),
      output: z.boolean().default(false).describe('Also the schema of the answer'),
    }),
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  call_read_tool: {
    description: 'Calls a tool that only reads, listed or not, and answers as that tool. Changes nothing.',
    input: wholeCall,
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  call_tool: {
    description:
      'Calls any tool, listed or not, and answers as that tool. If it asks first, repeat the call with confirmationCode inside arguments.',
    input: wholeCall,
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
} as const;

export type EndpointToolName = keyof typeof endpointTools;

export const isEndpointTool = (name: string): name is EndpointToolName => Object.hasOwn(endpointTools, name);

export function endpointTool(name: EndpointToolName): McpTool {
  const { description, input, hints } = endpointTools[name];
  const inputSchema = { type: 'object' as const, ...compact(jsonSchema(input)) };
  return { name, title: titleOf(name), description, inputSchema, annotations: hints };
}
