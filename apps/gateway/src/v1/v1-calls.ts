import type { z } from 'zod';
import { categoryOfEndpoint, permits } from '#contracts';
import type { CallSet, Issue, V1Asks, V1Endpoint } from '#contracts';
import {
  boundsOf,
  closestName,
  parseInput,
  RemoteFailure,
  requestHash,
  safeParse,
  summarise,
  ToolError,
} from '#tool-call';
import type { Caller, Outcome } from '#tool-call';
import type { CallerFacts } from '../auth/caller-facts.js';
import { assertToolsets } from '../tool/tool-calls.js';
import { assertForm, checkForm } from '../http/json-body.js';
import { EndpointTable } from './endpoint-table.js';
import type { Matched } from './endpoint-table.js';

type Ask = (
  kind: CallSet['kind'],
  target: { service: string; name: string },
  input: unknown,
  caller: Caller,
) => Promise<Outcome>;

export interface V1Call extends Matched {
  token: CallerFacts;
  query: Record<string, unknown>;
  body: unknown;
  callId: string | null;
  requestId: string;
  /** When the whole call had arrived, in milliseconds since the epoch. */
  arrivedAt: number;
}

export class V1Calls {
  readonly #table: EndpointTable;

  constructor(
    endpoints: readonly V1Endpoint[],
    private readonly ask: Ask,
    private readonly deadlineMs: number,
    private readonly audit: (call: V1Call, parameters: unknown, outcome: Outcome) => void = () => undefined,
  ) {
    this.#table = new EndpointTable(endpoints);
  }

  /** @param path below `/api/v1` @returns null for an unknown endpoint */
  find(method: string, path: string): Matched | null {
    return this.#table.find(method, path);
  }

  /** @param path below `/api/v1` */
  methodsOf(path: string): string[] {
    return this.#table.methodsOf(path);
  }

  admit({ endpoint }: Matched, { scopes, selfConfirm, asks, toolsets }: CallerFacts): void {
    const { method, path, scope, unasked } = endpoint;
    const call = `${method} /api/v1${path}`;
    if (!permits(scopes, scope)) throw new ToolError('TOKEN_SCOPE_MISSING', { tool: call, scope, scopes });
    assertToolsets(call, { category: categoryOfEndpoint(endpoint) }, toolsets);
    if ((unasked && !selfConfirm) || (scope === 'send' && asks)) throw new ToolError('APPROVAL_IMPOSSIBLE', { call });
  }

  /** Unknown parameters are ignored, with a warning. @throws ToolError PARAMETERS_INVALID */
  async run(call: V1Call): Promise<Outcome> {
    const { endpoint } = call;
    const { value, issues } = checkForm({ ...call.query, ...asObject(call.body), ...call.fromPath });
    const given = asObject(value);
    const parameters = parseInput(endpoint.parameters, given, issues);
    // Some values of the query are JSON again.
    assertForm(parameters);
    const effects: Outcome[] = [];
    const outcome = await endpoint.run(parameters, this.#asks(call, parameters, effects)).then(
      (answer): Outcome => ({ ok: true, data: withWarnings(answer, unknownKeys(endpoint, given), endpoint) }),
      (thrown) => refusalOf(thrown, endpoint),
    );
    this.audit(call, parameters, outcome);
    return effects[0]?.replayed ? { ...outcome, replayed: true } : outcome;
  }

  #asks({ endpoint, token, callId, requestId, arrivedAt }: V1Call, parameters: unknown, effects: Outcome[]): V1Asks {
    const caller: Caller = {
      organizationId: token.organizationId,
      tokenId: token.tokenId,
      actor: token.actor,
      asks: token.asks,
      requestId,
      callId: null,
      deadline: arrivedAt + this.deadlineMs,
      now: new Date(arrivedAt),
      source: 'v1',
      scopes: token.scopes,
      bounds: boundsOf(token),
    };
    // The key identifies the whole request, of which each effect sees a part.
    const wholeHash = callId === null ? undefined : requestHash(endpoint.name, parameters);
    const asking = ({ kind, service }: CallSet, name: string, input: unknown, own: Caller) =>
      this.ask(kind, { service, name }, input, own);
    // The services' results have the types of their contracts, against which an endpoint is checked.
    return {
      ask: async (set: CallSet, name: string, input: unknown) =>
        dataOf(await asking(set, name, input, caller)) as never,
      act: async (set: CallSet, name: string, input: unknown) => {
        // Each effect of a call has a call id of its own; a key cannot hold a space.
        const id = callId && [callId, ...(effects.length > 0 ? [effects.length] : [])].join(' ');
        const outcome = await asking(set, name, input, { ...caller, callId: id, wholeHash });
        effects.push(outcome);
        return dataOf(outcome) as never;
      },
    };
  }
}

function dataOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.data;
  throw new RemoteFailure(outcome.error);
}

function refusalOf(thrown: unknown, { names = {} }: V1Endpoint): Outcome {
  if (!(thrown instanceof RemoteFailure)) throw thrown;
  const { issues = [], message, ...error } = thrown.failure;
  if (issues.length === 0) return { ok: false, error: thrown.failure };
  const own = issues.map(({ path: [first, ...rest], ...issue }): Issue => {
    const path = first === undefined ? [] : [names[first] ?? first, ...rest];
    return { ...issue, path };
  });
  return {
    ok: false,
    error: { ...error, issues: own, message: message.replace(summarise(issues), () => summarise(own)) },
  };
}

function asObject(body: unknown): object {
  if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body;
  const issues: Issue[] = [{ path: [], message: 'the body must be an object' }];
  throw new ToolError('PARAMETERS_INVALID', { summary: 'The body must be a JSON object.' }, { issues });
}

function unknownKeys({ parameters }: V1Endpoint, given: object): string[] {
  const known = Object.keys(parameters.shape);
  return Object.keys(given).flatMap((key) => {
    if (known.includes(key)) return [];
    const guess = closestName(key, known);
    return [`Unknown parameter ${key.slice(0, 100)} was ignored${guess ? `; did you mean ${guess}?` : '.'}`];
  });
}

function withWarnings(answer: object, ignored: readonly string[], { answer: schema }: V1Endpoint): object {
  if (ignored.length === 0) return answer;
  const { warnings = [] } = answer as { warnings?: unknown[] };
  const known = schema.shape.warnings as z.ZodType | undefined;
  const isText = known ? safeParse(known, ignored).success : true;
  const said = isText ? ignored : ignored.map((message) => ({ code: 'UNKNOWN_PARAMETER', message }));
  return { ...answer, warnings: [...warnings, ...said] };
}
