import type { z } from 'zod';
import type { CallContract, CallSet, Data, Input, Scope, Service } from '../define.js';
import type { Reason } from '../errors.js';

export type V1Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How an endpoint of v1 looks from outside. */
interface V1Surface<P extends z.ZodObject> {
  method: V1Method;
  /** Below `/api/v1`; a part such as `:id` is a parameter. */
  path: `/${string}`;
  summary: string;
  scope: Scope;
  /** Path, query and body together; a name in the path outweighs one in the body, and that one in the query. */
  parameters: P;
  /** What is answered beside `success`. */
  answer: z.ZodObject;
}

/** An endpoint of v1: what it looks like, and which call of a service answers it. */
export interface V1Endpoint extends V1Surface<z.ZodObject> {
  /** For logs and metrics. */
  name: string;
  call: { kind: CallSet['kind']; service: Service; name: string };
  errors: readonly Reason[];
  toInput: (parameters: Record<string, unknown>) => unknown;
  toAnswer: (data: unknown) => object;
}

/**
 * Declares an endpoint that is answered by one call; both sides are checked against the contract of that call.
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
  const { method, path, summary, scope, parameters, answer, toInput, toAnswer } = surface;
  return {
    ...{ method, path, summary, scope, parameters, answer },
    name: `v1 ${method} ${path}`,
    call: { kind: set.kind, service: set.service, name },
    errors: set.calls[name]!.errors,
    toInput: toInput as V1Endpoint['toInput'],
    toAnswer: (toAnswer ?? ((data) => data)) as V1Endpoint['toAnswer'],
  };
}
