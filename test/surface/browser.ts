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
        cookie: cookieHeader(this.cookies),
        'sec-fetch-site': 'same-origin',
        ...(this.csrf !== '' && { 'tidings-csrf': this.csrf }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    keepCookies(this.cookies, response);
    const text = await response.text();
    const reply = { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
    const csrf = (reply.body.data as Json | undefined)?.csrf as string | undefined;
    if (csrf !== undefined) this.csrf = csrf;
    return reply;
  }

  /**
   * Opens an address and follows where it leads, to other servers too, until a page of this server.
   * @param isEnd further paths of this server that are not opened
   * @returns the path that it ends at
   */
  async follow(path: string, isEnd = (to: string): boolean => !to.startsWith('/api/')): Promise<string> {
    const elsewhere = new Map<string, string>();
    for (let to = new URL(path, this.url), hops = 0; hops < 20; hops += 1) {
      const isOwn = to.origin === this.url;
      const here = to.pathname + to.search + to.hash;
      if (isOwn && hops > 0 && isEnd(here)) return here;
      const cookies = isOwn ? this.cookies : elsewhere;
      const headers = { cookie: cookieHeader(cookies), ...this.headers };
      const response = await fetch(to, { redirect: 'manual', headers });
      keepCookies(cookies, response);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${to.href}: ${response.status} ${await response.text()}`);
      to = new URL(location, to);
    }
    throw new Error(`${path} leads nowhere`);
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

const cookieHeader = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

function keepCookies(cookies: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (value === '') cookies.delete(name!);
    else cookies.set(name!, value!);
  }
}
