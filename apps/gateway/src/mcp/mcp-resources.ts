import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describedTool } from './listing/tool-facts.js';
import type { McpCalls, McpContext } from './mcp-calls.js';

const skillScheme = 'tidings://skills/';
const toolScheme = 'tidings://tools/';
const filterScheme = 'tidings://filters/';

/** One resource for each name: there are too many to list. */
const templates = [
  {
    uriTemplate: `${toolScheme}{name}`,
    name: 'tool',
    description: 'A tool with its whole schemas, rules, refusals and an example',
    mimeType: 'application/json',
  },
  {
    uriTemplate: `${filterScheme}{type}`,
    name: 'filter',
    description: 'The fields and operators of a filter type, or of group, with a JSON Schema and an example of each',
    mimeType: 'application/json',
  },
];

export function offerResources(server: Server, calls: McpCalls, visitOf: () => McpContext): void {
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: (await calls.listSkills(visitOf())).map(({ slug, title, summary }) => ({
      uri: `${skillScheme}${slug}`,
      name: slug,
      title,
      description: summary,
      mimeType: 'text/markdown',
    })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templates }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const visit = visitOf();
    if (uri.startsWith(toolScheme)) return asJson(uri, describedTool(toolOf(visit, uri), true));
    if (uri.startsWith(filterScheme)) return asJson(uri, await filterOf(calls, visit, uri));
    const { markdown } = await skillOf(calls, visit, uri.startsWith(skillScheme) ? uri.slice(skillScheme.length) : uri);
    return { contents: [{ uri, mimeType: 'text/markdown', text: markdown }] };
  });
}

export function offerPrompts(server: Server, calls: McpCalls, visitOf: () => McpContext): void {
  const task = { name: 'task', description: 'What you want done, in your own words', required: false };
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({
    prompts: (await calls.listSkills(visitOf())).map(({ slug, title, summary }) => ({
      name: slug,
      title,
      description: summary,
      arguments: [task],
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params: { name, arguments: given } }) => {
    const { title, markdown } = await skillOf(calls, visitOf(), name);
    const request = given?.task ? `\n\nThe task: ${given.task}` : '';
    const content = { type: 'text' as const, text: `${markdown}${request}` };
    return { description: title, messages: [{ role: 'user' as const, content }] };
  });
}

const asJson = (uri: string, data: object) => ({
  contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }],
});

function toolOf({ view }: McpContext, uri: string) {
  const name = uri.slice(toolScheme.length);
  const tool = view.tools.find((one) => one.name === name);
  if (tool) return tool;
  throw missing(`There is no tool "${name.slice(0, 100)}"; find_tools lists all.`);
}

async function filterOf(calls: McpCalls, visit: McpContext, uri: string): Promise<object> {
  const type = uri.slice(filterScheme.length);
  const found = await calls.findFilter(visit, type);
  if (found) return found;
  throw missing(`There is no filter type "${type.slice(0, 100)}"; get_available_filters lists all.`);
}

async function skillOf(calls: McpCalls, visit: McpContext, slug: string) {
  const found = await calls.findSkill(visit, slug);
  if (found) return found;
  throw missing(`There is no skill "${slug}"; resources/list and prompts/list name all.`);
}

const missing = (message: string): McpError => new McpError(ErrorCode.InvalidParams, message);
