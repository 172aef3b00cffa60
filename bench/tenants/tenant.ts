import { connectTo, exchange, requestOf } from '../load.js';

/** What a call answered. */
export interface Answer {
  status: number;
  code?: string;
  error?: string;
  data?: unknown;
  confirmationCode?: number;
}

/** An organization's client: one connection for each open call. */
export class Tenant {
  #idle: ReturnType<typeof connectTo>[] = [];
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>();

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** @param body an object, or its JSON text where making it would keep the generator busy */
  async call(tool: string, body: object | string): Promise<Answer> {
    const socket = this.#idle.pop() ?? this.#connect();
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const request = requestOf({
      url: `${this.url}/api/v2/tools/${tool}`,
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { status, body: text } = await exchange(socket, request);
    this.#idle.push(socket);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return { ...(JSON.parse(text) as object), status };
  }

  /** Asks, and repeats with the code. */
  async confirmed(tool: string, body: object): Promise<Answer> {
    const { confirmationCode } = await this.call(tool, body);
    return await this.call(tool, { ...body, confirmationCode });
  }

  /** A connection that is forgotten when the server closes it: it does that after 65 s without a call. */
  #connect(): ReturnType<typeof connectTo> {
    const socket = connectTo(this.url);
    const forget = () => (this.#idle = this.#idle.filter((idle) => idle !== socket));
    return socket
      .on('error', () => undefined)
      .once('end', forget)
      .once('close', forget);
  }

  leave(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy();
  }
}
