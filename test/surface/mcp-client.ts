import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** The result of a tool call over MCP. */
export interface ToolAnswer {
  isError?: boolean;
  structuredContent: Record<string, unknown>;
  _meta?: { 'tidings/failure'?: object };
  content: { text: string }[];
}

/** What a person says when a client asks them. */
export type PersonAnswer = (message: string) => { action: 'accept' | 'decline'; content?: Record<string, boolean> };

/** Opens official clients of an MCP endpoint, and closes all of them. */
export class McpClients {
  readonly #open: Client[] = [];

  constructor(private readonly url: () => string) {}

  /** @param answer what its person says when asked, if it can ask one */
  async connect({ token, path = '/api/mcp' }: { token: string; path?: string }, answer?: PersonAnswer) {
    const client = new Client({ name: 'spec', version: '1' }, { capabilities: answer ? { elicitation: {} } : {} });
    if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(this.url() + path), { requestInit: { headers } }));
    this.#open.push(client);
    const { tools } = await client.listTools();
    const call = async (name: string, body: Record<string, unknown> = {}, meta?: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: body, ...(meta && { _meta: meta }) })) as unknown as ToolAnswer;
    return { client, tools, call, names: tools.map(({ name }) => name) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((client) => client.close()));
  }
}

/** The estimate of the budgets: four bytes of UTF-8 to a token. */
export const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / 4);
