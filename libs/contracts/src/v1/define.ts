import type { z } from 'zod';
import type { CallContract, CallSet, Category, Data, Input, Service } from '../define.js';
import type { Reason } from '../errors.js';
import type { Scope } from '../scope.js';

export type V1Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface V1Surface<P extends z.ZodObject> {
  method: V1Method;
  /** Below `/api/v1`; a part such as `:id` is a parameter. */
  path: `/${string}`;
  summary: string;
  scope: Scope;
  /** Whether a tool would ask first; v1 never asks, so that it is closed to tokens that need a person's approval. */
  unasked?: true;
  /** Path, query and body together; a name in the path outweighs one in the body, and that one in the query. */
  parameters: P;
  /** Parameters that v1 names differently: the calls' names to v1's, for refusals. */
  names?: Readonly<Record<string, string>>;
  answer: z.ZodObject;
}

export interface V1Target {
  kind: CallSet['kind'];
  service: Service;
  name: string;
}

type Asking = <S extends CallSet, K extends keyof S['calls'] & string>(
  set: S,
  name: K,
  input: Input<S['calls'][K] & CallContract>,
) => Promise<Data<S['calls'][K] & CallContract>>;

/** Calls of an endpoint to services; a refusal is thrown and becomes the endpoint's refusal. */
export interface V1Asks {
  /** For what changes nothing. */
  ask: Asking;
  /** For what has an effect: it is carried out once for an Idempotency-Key. */
  act: Asking;
}

export interface V1Endpoint extends V1Surface<z.ZodObject> {
  name: string;
  calls: readonly V1Target[];
  errors: readonly Reason[];
  run: (parameters: Record<string, unknown>, asks: V1Asks) => Promise<object>;
}

export const callsOf = <S extends CallSet>(set: S, ...names: (keyof S['calls'] & string)[]) =>
  names.map((name) => ({ set, name }));

/**
 * Declares an endpoint that several calls answer together; both sides are checked against the contracts of those calls.
 * @param calls those that it may ask
 */
export function composeEndpoint<P extends z.ZodObject>(
  calls: readonly { set: CallSet; name: string }[],
  surface: V1Surface<P> & { run: (parameters: z.output<P>, asks: V1Asks) => Promise<object> },
): V1Endpoint {
  const { method, path, run } = surface;
  return {
    ...surface,
    name: `v1 ${method} ${path}`,
    calls: calls.map(({ set: { kind, service }, name }) => ({ kind, service, name })),
    errors: [...new Set(calls.flatMap(({ set, name }) => set.calls[name]!.errors))],
    run: run as V1Endpoint['run'],
  };
}

/**
 * Declares an endpoint that is answered by one call.
 * @param name of the call in `set`
 * @param surface its own schemas, and how parameters become the call's input and its data the answer
 */
export function defineEndpoint<S extends CallSet, K extends keyof S['calls'] & string, P extends z.ZodObject>(
  set: S,
  name: K,
  surface: V1Surface<P> & {
    toInput: (parameters: z.output<P>) => Input<S['calls'][K] & CallContract>;
    toAnswer?: (data: Data<S['calls'][K] & CallContract>) => object;
  },
): V1Endpoint {
  const { toInput, toAnswer, ...rest } = surface;
  return composeEndpoint([{ set, name }], {
    ...rest,
    run: async (parameters, { act }) => {
      const data = await act(set, name, toInput(parameters));
      return toAnswer ? toAnswer(data) : (data as object);
    },
  });
}

const categoryOfPath: Record<string, Category> = {
  subscribers: 'subscribers',
  events: 'subscribers',
  tags: 'tags',
  campaigns: 'campaigns',
  emails: 'email',
};

/** The category of the tools that an endpoint stands for: that of the noun in its path. */
export const categoryOfEndpoint = ({ path }: Pick<V1Endpoint, 'path'>): Category =>
  categoryOfPath[path.split('/')[1]!]!;
