import { TidingsClient, TidingsError } from '#client';
import type { Confirm, ToolData, ToolInput, ToolName } from '#client';
import { deriveKey, OperatorPasses } from '#link-token';
import { CommandError, UnreachableError } from './command-error.js';
import type { ApiAccess } from './config.js';

export interface ApiResponse {
  status: number;
  body: Record<string, unknown>;
}

interface ApiOptions {
  /** How to reach the API; asked for at the first call, so that wrong usage needs no running system. */
  access: () => ApiAccess;
  /** The organization of all calls: its id or number; not with a token, which has one. */
  organization: string | undefined;
  confirm: Confirm;
}

interface Connection {
  url: string;
  isOperator: boolean;
  headers: () => Record<string, string>;
  client: TidingsClient;
}

const timeoutMs = 30_000;
const retries = 3;

/** Calls the API, as the operator beside the system or with a token from elsewhere. */
export class Api {
  #connection: Connection | null = null;

  constructor(private readonly options: ApiOptions) {}

  /** @throws TidingsError, ConfirmationRequired, CommandError, UnreachableError */
  async call<T extends ToolName>(tool: T, input: ToolInput<T>): Promise<ToolData<T>> {
    return await this.#connect()
      .client.call(tool, input)
      .catch((error: unknown) => this.#explain(error));
  }

  /** Sends bytes to a path of the API, once. @throws TypeError when no answer comes */
  async put(path: string, body: Uint8Array<ArrayBuffer>): Promise<ApiResponse> {
    const { url, headers } = this.#connect();
    const response = await fetch(new URL(path, url), {
      method: 'PUT',
      headers: { ...headers(), 'content-type': 'text/csv' },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** The text of a signed link of the API, read at the address that this command uses. @throws CommandError */
  async download(link: string): Promise<string> {
    const { pathname, search } = new URL(link);
    const response = await fetch(new URL(pathname + search, this.#connect().url));
    if (!response.ok) throw new CommandError(`${link} cannot be read: HTTP status ${response.status}.`);
    return await response.text();
  }

  #connect(): Connection {
    const { access: find, organization, confirm } = this.options;
    if (this.#connection) return this.#connection;
    const access = find();
    if ('token' in access && organization !== undefined)
      throw new CommandError('--org is not accepted with TIDINGS_TOKEN: a token belongs to one organization.');
    const headers = headersOf(access, organization);
    const client = new TidingsClient({ baseUrl: access.url, headers, confirm, retries, timeoutMs });
    this.#connection = { url: access.url, isOperator: 'masterKey' in access, headers, client };
    return this.#connection;
  }

  #explain(error: unknown): never {
    if (!(error instanceof TidingsError)) throw error;
    if (error.status === 0)
      throw new UnreachableError(`${this.#connect().url} does not answer. Is the system running? (${error.message})`);
    if (error.reason === 'TOKEN_REFUSED' && this.#connect().isOperator)
      throw new CommandError(
        'The gateway refused the pass of the operator: it takes one signed with its own MASTER_KEY, on loopback, within ten minutes.',
      );
    if (error.reason === 'ORGANIZATION_REQUIRED')
      throw new CommandError('There are several organizations: say which with --org (see: org list).');
    throw error;
  }
}

function headersOf(access: ApiAccess, organization: string | undefined): () => Record<string, string> {
  if ('token' in access) return () => ({ authorization: `Bearer ${access.token}` });
  const passes = new OperatorPasses(deriveKey(access.masterKey, 'operator-passes'));
  const named: Record<string, string> = organization === undefined ? {} : { 'tidings-organization': organization };
  return () => ({ authorization: `Bearer ${passes.issue(new Date(Date.now()))}`, ...named });
}
