import type { z } from 'zod';
import type { Reason } from './errors.js';
import type { Scope } from './scope.js';

/** The five services that own tools; the gateway owns none. */
export type Service = 'subscriber' | 'campaign' | 'workflow' | 'delivery' | 'domain';

export const categories = [
  'tags',
  'subscribers',
  'campaigns',
  'workflows',
  'segments',
  'analytics',
  'settings',
  'skills',
  'email',
  'domains',
  'deliverability',
  'images',
  'transfer',
  'web',
  'members',
  'access',
] as const;
export type Category = (typeof categories)[number];

/**
 * How the host runs a handler: `read` = statements without BEGIN; `write` = one transaction around the whole call;
 * `own` = the handler talks to the outside world (other services, DNS, HTTP) and opens short transactions itself.
 */
export type TransactionMode = 'read' | 'write' | 'own';

/** One question that a service answers: a public tool or an internal request. */
export interface CallContract<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  input: I;
  output: O;
  /** Refusals the handler declares, beside the general ones (validation, authentication, rate limit). */
  errors: readonly Reason[];
  transaction: TransactionMode;
  /** The arguments may hold secrets: a request is remembered by a keyed hash, which no guess can be tried against. */
  hasSecrets?: true;
}

/** The scope that a call of a tool requires; without arguments, the lowest that any call of it requires. */
export const scopeOf = ({ scope, lighter }: Pick<ToolContract, 'scope' | 'lighter'>, args?: object): Scope =>
  lighter && (!args || lighter.appliesTo(args as Record<string, unknown>)) ? lighter.scope : scope;

/** Whether no call of a tool changes anything. Not the scope of a call: the harmless calls of `rotate_api_token` need `read`. */
export const isReadOnly = ({ scope }: Pick<ToolContract, 'scope'>): boolean => scope === 'read';

export const refusalsOf = ({ errors, locks }: Pick<ToolContract, 'errors' | 'locks'>): readonly Reason[] =>
  locks ? [...errors, 'EXPECTED_UPDATED_AT_STALE'] : errors;

export interface ToolContract<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
> extends CallContract<I, O> {
  /** One or two sentences for the caller; the description in every listing. */
  summary: string;
  category: Category;
  scope: Scope;
  /** The lower scope of harmless calls, and which calls those are. */
  lighter?: { scope: Scope; appliesTo(args: Record<string, unknown>): boolean };
  /** Rules that JSON Schema cannot say, as sentences; shown with the description. */
  rules?: readonly string[];
  /** Asks for a five-digit code before it acts (API text, Errors 2). */
  confirm?: true;
  /** Which calls of such a tool act at once all the same. */
  unasked?(args: Record<string, unknown>): boolean;
  /** Needs an approval of callers who ask for `send`, in states of its record that its description decides. */
  asksByState?: true;
  /** Makes secrets: only a user's session or the operator's command may call it. */
  userOnly?: true;
  /** Concerns the installation: only a session of an operator or the operator's command may call it. */
  operatorOnly?: true;
  /** A session must have proved its password within ten minutes, for all calls or for those that match. */
  recentSignIn?: true | ((args: Record<string, unknown>) => boolean);
  destructive?: true;
  idempotent?: true;
  /** Listed by MCP without being asked for; one of some 36 tools that most tasks need. */
  core?: true;
  /**
   * Summary and essential rules in some 400 characters, where a listing must be short; default: the summary and the first
   * rules that fit.
   */
  brief?: string;
  /** Words of callers who do not know the product's nouns, separated by commas; find_tools of MCP searches them. */
  keywords: string;
  /**
   * Changes one record with updatedAt, which a caller may name by If-Match: a record changed since is refused with
   * EXPECTED_UPDATED_AT_STALE. Tools that take expectedUpdatedAt do not have it.
   */
  locks?: true;
  /** A body that succeeds in an organization with the sample data of the catalogue test. */
  example: z.input<I>;
}

export interface ToolSet<T extends Record<string, ToolContract> = Record<string, ToolContract>> {
  kind: 'tools';
  service: Service;
  calls: T;
}

export interface RequestSet<T extends Record<string, CallContract> = Record<string, CallContract>> {
  kind: 'requests';
  service: Service;
  calls: T;
}

export type CallSet = ToolSet | RequestSet;

export function defineTools<const T extends Record<string, ToolContract>>(service: Service, calls: T): ToolSet<T> {
  return { kind: 'tools', service, calls };
}

/** Declares the questions that other services may ask of `service`; they are not public. */
export function defineRequests<const T extends Record<string, CallContract>>(
  service: Service,
  calls: T,
): RequestSet<T> {
  return { kind: 'requests', service, calls };
}

export type Input<C extends CallContract> = z.input<C['input']>;
/** What a handler receives: parsed, defaults applied. */
export type Args<C extends CallContract> = z.output<C['input']>;
export type Data<C extends CallContract> = z.input<C['output']>;
