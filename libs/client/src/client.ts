import { ConfirmationRequired, TidingsError } from './errors.js';
import type { ConfirmationQuestion } from './errors.js';
import { readingTools, version } from './tools.js';
import type { Tools } from './tools.js';

export type ToolName = keyof Tools;
export type ToolInput<T extends ToolName> = Tools[T]['input'];
export type ToolData<T extends ToolName> = Tools[T]['data'];

/** Decides on a confirmation: true carries the call out. */
export type Confirm = (question: ConfirmationQuestion) => boolean | Promise<boolean>;

export interface TidingsOptions {
  baseUrl: string;
  /** An API token; none where a session's cookie names the caller. */
  token?: string;
  /** Further headers of each call, read at each attempt, such as Tidings-Csrf. */
  headers?: () => Readonly<Record<string, string>>;
  /** Asked for every call that needs a confirmation; without it such calls throw ConfirmationRequired. */
  confirm?: Confirm;
  /** How often a call is repeated after trouble on the way, or when the service asks to wait (default 4). */
  retries?: number;
  /** The longest wait before a repeat, in milliseconds (default 60,000); who asks for more is not waited for. */
  waitMsMax?: number;
  /** How long one answer may take, in milliseconds (default 30,000). */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

export interface CallOptions {
  confirm?: Confirm;
  /** Names the call, so that it has its effect once however often it is repeated; made up for writes when left out. */
  idempotencyKey?: string;
  /** The `updatedAt` that the record must still have; if another call changed it, the call is refused. */
  ifMatch?: string;
  signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
interface Sent extends CallOptions {
  method: Method;
  path: string;
  body: object | undefined;
}
interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

const firstWaitMs = 250;
/** The service is away, or too many call at once: the same call may succeed later. */
const passing: readonly number[] = [429, 502, 503, 504];

/** Calls the tools of a Tidings installation, and its v1 endpoints. */
export class TidingsClient {
  /** Every tool as a method: `client.tools.list_tags({})`. */
  readonly tools: { [T in ToolName]: (input: ToolInput<T>, options?: CallOptions) => Promise<ToolData<T>> };

  constructor(private readonly options: TidingsOptions) {
    this.tools = new Proxy({} as TidingsClient['tools'], {
      get: (_target, name) => (input: never, more?: CallOptions) => this.call(name as ToolName, input, more),
    });
  }

  /** @throws TidingsError for a refusal; ConfirmationRequired when the call was not confirmed */
  async call<T extends ToolName>(tool: T, input: ToolInput<T>, options: CallOptions = {}): Promise<ToolData<T>> {
    const idempotencyKey = readingTools.has(tool) ? options.idempotencyKey : keyOf(options);
    const sent = { ...options, ...(idempotencyKey && { idempotencyKey }) };
    const call = { ...sent, method: 'POST' as const, path: `/api/v2/tools/${tool}` };
    let answer = await this.#sendWithRetries({ ...call, body: input });
    if (answer.body.error === 'CONFIRMATION_REQUIRED') {
      const question = answer.body as unknown as ConfirmationQuestion;
      const confirm = options.confirm ?? this.options.confirm;
      const { confirmationCode } = question;
      if (confirmationCode === undefined || !confirm || !(await confirm(question))) {
        throw new ConfirmationRequired(answer.status, question, requestIdOf(answer));
      }
      answer = await this.#sendWithRetries({ ...call, body: { ...input, confirmationCode } });
    }
    return dataOf(answer).data as ToolData<T>;
  }

  /**
   * Calls an endpoint of v1.
   * @param path below `/api/v1`, such as `/subscribers/ada%40example.org`
   * @throws TidingsError for a refusal
   */
  async v1<D = Record<string, unknown>>(
    method: Method,
    path: string,
    body?: object,
    options: CallOptions = {},
  ): Promise<D> {
    const sent = method === 'GET' ? options : { ...options, idempotencyKey: keyOf(options) };
    return dataOf(await this.#sendWithRetries({ ...sent, method, path: `/api/v1${path}`, body })) as D;
  }

  /** Repeats a call until it gets a final answer; writes carry a key, so that they have their effect once. */
  async #sendWithRetries(sent: Sent): Promise<Answered> {
    const { retries = 4, waitMsMax = 60_000 } = this.options;
    for (let tries = 0; ; tries++) {
      const answer = await this.#send(sent).catch((error: unknown) => trouble(error, sent.signal));
      const isPassing = answer instanceof TidingsError || passing.includes(answer.status);
      const waitMs = isPassing ? waitOf(answer, tries) : 0;
      if (isPassing && tries < retries && waitMs <= waitMsMax) {
        await pause(waitMs, sent.signal);
        continue;
      }
      if (answer instanceof TidingsError) throw answer;
      return answer;
    }
  }

  async #send({ method, path, body, idempotencyKey, ifMatch, signal }: Sent): Promise<Answered> {
    const { baseUrl, token, headers, timeoutMs = 30_000, fetch: send = fetch } = this.options;
    const limit = AbortSignal.timeout(timeoutMs);
    const response = await send(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers: {
        ...headers?.(),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'user-agent': `tidings-client/${version}`,
        ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text) };
  }
}

const keyOf = ({ idempotencyKey }: CallOptions): string => idempotencyKey ?? globalThis.crypto.randomUUID();

/** A proxy in front of the service may answer with a body that is not JSON. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { success: false, error: text.slice(0, 200) };
  }
}

function dataOf(answer: Answered): Record<string, unknown> {
  if (answer.status < 300) return answer.body;
  throw new TidingsError(answer.status, { ...retryAtOf(answer), ...answer.body }, requestIdOf(answer));
}

/** A proxy in front of the service may name the wait in the header alone. */
function retryAtOf({ headers }: Answered): { retryAt?: string } {
  const seconds = headers.get('retry-after');
  if (seconds === null || !/^\d+$/.test(seconds)) return {};
  return { retryAt: new Date(Date.now() + Number(seconds) * 1000).toISOString() };
}

const requestIdOf = ({ headers }: Answered): string | null => headers.get('x-request-id');

/** An answer that did not come. @throws what the caller's own signal says */
function trouble(cause: unknown, signal: AbortSignal | undefined): TidingsError {
  signal?.throwIfAborted();
  const error = cause instanceof Error ? cause.message : String(cause);
  return new TidingsError(0, { error: `No answer: ${error}`, code: 'NO_ANSWER' }, null, { cause });
}

function waitOf(answer: Answered | TidingsError, tries: number): number {
  const said = answer instanceof TidingsError ? null : answer.headers.get('retry-after');
  if (said !== null && /^\d+$/.test(said)) return Number(said) * 1000;
  return firstWaitMs * 2 ** tries * (0.75 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
