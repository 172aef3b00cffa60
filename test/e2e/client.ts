import { TidingsClient } from '#client';
import type { ToolName } from '#client';

/** What came back over HTTP. */
export interface Answer {
  status: number;
  body: {
    success: boolean;
    data?: Record<string, unknown>;
    error?: string;
    code?: string;
    confirmationCode?: number;
  } & Record<string, unknown>;
  headers: Headers;
}

/** A client of the tools API as a user would write one. */
export class ToolsClient {
  readonly #published: TidingsClient;

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {
    this.#published = new TidingsClient({ baseUrl, token, retries: 0, confirm: () => true });
  }

  async call(tool: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}/api/v2/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers };
  }

  /** Calls an endpoint of v1; `path` begins below `/api/v1`. */
  async v1(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers };
  }

  /** Calls a tool by the published client, confirming where it asks. @returns its data. @throws TidingsError for a refusal */
  async data<D = Record<string, unknown>>(tool: string, body: object): Promise<D> {
    return (await this.#published.call(tool as ToolName, body)) as D;
  }
}
