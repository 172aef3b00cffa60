/** The tools API and the links in mail, as a program outside would use them. */
export class DemoClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  /** Calls a tool and returns its data. @throws Error with the refusal */
  async data<D>(tool: string, body: object): Promise<D> {
    const answer = await this.#call(tool, body);
    if (!answer.success) throw new Error(`${tool}: ${answer.error}`);
    return answer.data as D;
  }

  /** Calls a tool that asks for confirmation, and confirms. @returns the sentence it asked with */
  async confirmed(tool: string, body: object): Promise<string> {
    const asked = await this.#call(tool, body);
    await this.data(tool, { ...body, confirmationCode: asked.confirmationCode });
    return asked.message ?? '';
  }

  /** Follows a link of a mail, without going on to where it leads. */
  async visit(link: string): Promise<void> {
    const response = await fetch(this.#here(link), {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Thunderbird' },
    });
    if (response.status >= 400) throw new Error(`${link} answered ${response.status}`);
  }

  /** What a mail program does when its reader presses unsubscribe (RFC 8058). */
  async unsubscribe(link: string): Promise<void> {
    const response = await fetch(this.#here(link), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    if (!response.ok) throw new Error(`${link} answered ${response.status}`);
  }

  /** Links carry the public address; this system listens on a port of its own. */
  #here(link: string): string {
    const { pathname } = new URL(link);
    return `${this.baseUrl}${pathname}`;
  }

  async #call(tool: string, body: object) {
    const response = await fetch(`${this.baseUrl}/api/v2/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as {
      success: boolean;
      data?: unknown;
      error?: string;
      message?: string;
      confirmationCode?: number;
    };
  }
}
