import type { McpClients, ToolAnswer } from './mcp-client.js';

type Json = Record<string, unknown>;
type Connection = Awaited<ReturnType<McpClients['connect']>>;

/** One step of a task: what the agent wants, how it recognizes the tool, and what it says. */
export interface Step {
  /** In words of a person who has never used the product. */
  want: string;
  /** Words that the right tool's summary has, and the other summaries found do not. */
  choose: RegExp;
  give?: Json;
}

/** A tool as find_tools and describe_tools show it. */
interface Found {
  name: string;
  summary: string;
  readOnly: boolean;
}
interface Described {
  inputSchema: { properties: Json; required?: string[] };
}

/**
 * A client without prior knowledge: it finds each by plain words, chooses by the summary, reads the description, and calls
 * through call_read_tool or call_tool. Every step must succeed at the first try.
 */
export class ScriptedAgent {
  readonly transcript: string[] = [];

  constructor(private readonly connection: Connection) {}

  /** Begins a task; the transcript names it. */
  begin(title: string): void {
    this.transcript.push('', title);
  }

  /** Notes what the task brought about on the system. */
  note(effect: string): void {
    this.transcript.push(`  effect: ${effect}`);
  }

  /** @returns the data of the tool's answer. @throws Error when the step fails at its first try */
  async do<D = Json>({ want, choose, give = {} }: Step): Promise<D> {
    const tool = await this.#find(want, choose);
    await this.#read(tool, give);
    const by = tool.readOnly ? 'call_read_tool' : 'call_tool';
    this.transcript.push(`    ${by} ${tool.name} ${shortened(give)}`);
    const answer = await this.#call(by, { name: tool.name, arguments: give });
    const { confirmationCode, message } = answer.structuredContent;
    if (confirmationCode === undefined) return answer.structuredContent as D;
    this.transcript.push(`    asked: ${String(message)}`);
    const confirmed = await this.#call(by, { name: tool.name, arguments: { ...give, confirmationCode } });
    this.transcript.push(`    confirmed with ${String(confirmationCode)}`);
    return confirmed.structuredContent as D;
  }

  async #find(query: string, choose: RegExp): Promise<Found> {
    const { structuredContent } = await this.#call('find_tools', { query });
    const found = structuredContent.tools as Found[];
    const chosen = found.filter(({ summary }) => choose.test(summary));
    this.transcript.push(`  find_tools "${query}"`, `    found ${found.map(({ name }) => name).join(', ')}`);
    if (chosen.length !== 1) throw new Error(`"${query}" found ${chosen.length} tools like ${String(choose)}`);
    return chosen[0]!;
  }

  /** Says only what the description shows. */
  async #read({ name }: Found, give: Json): Promise<void> {
    const { structuredContent } = await this.#call('describe_tools', { names: [name] });
    const [{ inputSchema }] = structuredContent.tools as [Described];
    const unknown = Object.keys(give).filter((key) => !Object.hasOwn(inputSchema.properties, key));
    const missing = (inputSchema.required ?? []).filter((key) => !Object.hasOwn(give, key));
    if (unknown.length + missing.length > 0)
      throw new Error(`the description of ${name} shows no ${unknown.join(', ')}, and requires ${missing.join(', ')}`);
  }

  async #call(name: string, body: Json): Promise<ToolAnswer> {
    const answer = await this.connection.call(name, body);
    if (answer.isError) throw new Error(answer.content[0]!.text);
    return answer;
  }
}

function shortened(give: Json): string {
  const text = JSON.stringify(give);
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
