import type { Json } from '../../apps/gateway/test/fake-services.js';

/** A reply to a browser. */
export interface PageReply {
  status: number;
  body: Json;
}

/** A browser on a page of the gateway: it keeps cookies, and sends what a page of the same origin sends. */
export class Browser {
  readonly cookies = new Map<string, string>();
  csrf = '';

  constructor(
    private readonly url: string,
    /** The address that a trusted proxy reports. */
    private readonly headers: Record<string, string> = {},
  ) {}

  /** Sends a request; the csrf value of the last answer with one goes along. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<PageReply> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'sec-fetch-site': 'same-origin',
        ...(this.csrf !== '' && { 'tidings-csrf': this.csrf }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const text = await response.text();
    const reply = { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
    const csrf = (reply.body.data as Json | undefined)?.csrf as string | undefined;
    if (csrf !== undefined) this.csrf = csrf;
    return reply;
  }

  async signIn(email: string, password: string): Promise<PageReply> {
    return await this.send('POST', '/api/session', { email, password });
  }

  async call(tool: string, input: object = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    return await this.send('POST', `/api/v2/tools/${tool}`, input, headers);
  }

  /** Calls a tool that must succeed. @returns its data */
  async data<D = Json>(tool: string, input: object = {}): Promise<D> {
    const { status, body } = await this.call(tool, input);
    if (status !== 200) throw new Error(`${tool}: ${status} ${JSON.stringify(body)}`);
    return body.data as D;
  }
}
