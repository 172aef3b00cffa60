import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { z } from 'zod';
import { describeIssues, safeParse, summarise } from '#tool-call';
import type { ConfirmationQuestion } from '../tool/confirmation-question.js';
import type { McpCalls, McpContext } from './mcp-calls.js';
import { declined, questionResult } from './mcp-result.js';
import type { McpResult } from './mcp-result.js';
import { offerPrompts, offerResources } from './mcp-resources.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export { WebStandardStreamableHTTPServerTransport as McpTransport };

const answerMs = 5 * 60_000;

const instructions = `Tidings sends email campaigns, automations (workflows) and single emails.
Begin with get_skill (type onboarding) or the resources under tidings://skills/; they hold calls that work as they stand.
Only the tools of most tasks are listed. For anything else call find_tools with what you want to do, in plain words, then call_read_tool or call_tool; a tool that is not listed can be called by its own name too. describe_tools has the whole schema, the rules and the refusals.
Names of tags, fields, segments and campaigns stand for ids in filters. Lists go on with nextCursor as cursor, or with page.
Tools that send, publish or delete answer first with a confirmation: show its message to the person you work for, and only then repeat the very same call with its confirmationCode.
A refusal says what to do next; refusals that are not retryable are refused again unless something is changed.`;

// Shared by all servers: it caches compiled schemas.
const validator = new AjvJsonSchemaValidator();

const requests: Readonly<Record<string, z.ZodType>> = {
  initialize: InitializeRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'prompts/get': GetPromptRequestSchema,
};

/**
 * The response to a request with invalid parameters (JSON-RPC 2.0, section 5.1), which the library reports as an
 * internal error; null for every other message.
 */
export function toParamsErrorResponse(message: unknown): string | null {
  const { jsonrpc, id, method } = (message ?? {}) as { jsonrpc?: unknown; id?: unknown; method?: unknown };
  const schema = typeof method === 'string' && Object.hasOwn(requests, method) ? requests[method] : undefined;
  const isRequest = jsonrpc === '2.0' && (typeof id === 'string' || Number.isSafeInteger(id));
  const parsed = isRequest && schema ? safeParse(schema, message) : undefined;
  if (!parsed?.error) return null;
  const problem = summarise(describeIssues(schema!, message, parsed.error));
  return JSON.stringify({ jsonrpc, id, error: { code: ErrorCode.InvalidParams, message: problem } });
}

/** Creates a server for one message or one session; `visitOf` returns the present caller. */
export function makeMcpServer(calls: McpCalls, visitOf: () => McpContext, version: string): Server {
  const server = new Server(
    { name: 'tidings', title: 'Tidings', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions, jsonSchemaValidator: validator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: visitOf().view.list() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: parsed = {}, _meta } = params;
    const body = (extra.authInfo?.extra?.toolArguments as typeof parsed | undefined) ?? parsed;
    const visit = visitOf();
    const answer = await calls.call(visit, { name, body, meta: _meta });
    if ('result' in answer) return answer.result;
    const { question, target } = answer;
    if (!server.getClientCapabilities()?.elicitation || question.confirmationCode === undefined) {
      return questionResult(target, question);
    }
    return await askPerson(extra, question, async () => {
      const confirmed = { ...(target.body as object), confirmationCode: question.confirmationCode };
      const done = await calls.call(visit, { name: target.name, body: confirmed, meta: _meta });
      return 'question' in done ? questionResult(target, done.question) : done.result;
    }).catch(() => questionResult(target, question));
  });
  offerResources(server, calls, visitOf);
  offerPrompts(server, calls, visitOf);
  return server;
}

/** Asks the person behind the client and executes the call they accept. @throws when the client cannot ask after all */
async function askPerson(
  extra: Extra,
  { action, message }: ConfirmationQuestion,
  carryOut: () => Promise<McpResult>,
): Promise<McpResult> {
  const confirm = { type: 'boolean' as const, title: action, description: message, default: false };
  const answer = await extra.sendRequest(
    {
      method: 'elicitation/create',
      params: { message, requestedSchema: { type: 'object', properties: { confirm }, required: ['confirm'] } },
    },
    ElicitResultSchema,
    { timeout: answerMs },
  );
  const question = { message } as ConfirmationQuestion;
  return answer.action === 'accept' && answer.content?.confirm === true ? await carryOut() : declined(question);
}
