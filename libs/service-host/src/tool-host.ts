import { setTimeout as sleep } from 'node:timers/promises';
import { FairYield, largeBodyBytes, Semaphore, SemaphoreTimeout } from '#concurrency';
import type { LiveUpdates } from '#bus';
import type { CallContract } from '#contracts';
import { isTransient } from '#events';
import { failureOf, keyedRequestHash, parseInput, requestHash, ToolError } from '#tool-call';
import type { Caller, CallKey, Implementation, Outcome } from '#tool-call';
import type { Logger, Metrics } from '#observability';
import type { CallContext, CallContexts, ImplementationFactory, Share } from './call-context.js';
import { liveChangeOf } from './live-change.js';
import { executeIdempotent, executeIdempotentWithIo, findReplay } from './idempotent-call.js';

/**
 * JSON values in the arguments from which a call counts as heavy. Each value of a custom field, and each of an imported
 * row, costs its share of every step: rows, events, the answer.
 */
const heavyValues = 200;
/**
 * Heavy calls of one organization at a time, and large bodies that are read: every further one is another piece of work
 * between two steps of other organizations.
 */
const heavyEach = 1;
/** Milliseconds after its last call for which another organization counts as present. */
const presentMs = 1_000;
const restMaxMs = 250;

interface Served {
  contract: CallContract;
  build: ImplementationFactory;
}

type SharingCaller = Caller & { share: Share };

export interface ToolHostOptions {
  factories: readonly ImplementationFactory[];
  contexts: CallContexts;
  log: Logger;
  metrics: Metrics;
  /** Requests that hold secrets are remembered by their hash under this key. */
  hashKey: Buffer;
  /** Gets the changes of records that executed calls made. */
  live?: Pick<LiveUpdates, 'publish'>;
}

/** Runs the calls of a service: parse, transaction, once-only execution, and an outcome in every case. */
export class ToolHost {
  readonly #yield = new FairYield();
  readonly #heavy = new Semaphore({ limit: Infinity, limitPerKey: heavyEach });
  readonly #served = new Map<string, Served>();
  #service = '';
  readonly #latest = new Map<string, number>();

  constructor(private readonly options: ToolHostOptions) {
    for (const build of options.factories) {
      const { set } = build(options.contexts.plain());
      this.#service = set.service;
      for (const [name, contract] of Object.entries(set.calls))
        this.#served.set(`${set.kind} ${name}`, { contract, build });
    }
  }

  /**
   * @param kind the subject's first part: `tools`, `requests`, or `describe` for what a tool would do
   * @param body the arguments as JSON bytes
   */
  async handle(kind: string, name: string, body: Uint8Array, caller: Caller): Promise<Outcome> {
    const started = performance.now();
    const outcome = await this.#run(kind, name, body, caller);
    const call = kind === 'describe' ? `describe ${name}` : name;
    const { calls, callSeconds, refusals } = this.options.metrics;
    calls.inc({ call, outcome: outcome.ok ? 'OK' : outcome.error.code });
    if (!outcome.ok) refusals.inc({ reason: outcome.error.reason ?? outcome.error.code });
    callSeconds.observe({ call }, (performance.now() - started) / 1000);
    return outcome;
  }

  async #run(kind: string, name: string, body: Uint8Array, caller: Caller): Promise<Outcome> {
    try {
      if (Date.now() > caller.deadline) throw new ToolError('DEADLINE_EXCEEDED', { tool: name });
      const served = this.#served.get(`${kind === 'describe' ? 'tools' : kind} ${name}`);
      if (!served) throw new ToolError('SERVICE_UNAVAILABLE', { service: this.#service });
      const isLarge = body.length >= largeBodyBytes;
      const read = () => this.#read(served.contract, body, caller);
      const work = (args: unknown) =>
        kind === 'describe'
          ? this.#describe(served, name, args, caller)
          : // Calls of other services have no share: their caller may hold one while it waits.
            this.#execute(served, name, args, { ...caller, share: kind === 'tools' ? caller.organizationId : null });
      if (kind === 'requests') return await work(await read());
      const { organizationId: key, deadline } = caller;
      this.#note(key);
      const known = isLarge ? null : { args: await read() };
      if (known && !hasValues(known.args, heavyValues)) return await work(known.args);
      // Reading a large body is work between the steps of others, too.
      const done = await this.#heavyTurn({ key, deadline }, async () => {
        const { args } = known ?? { args: await read() };
        return hasValues(args, heavyValues) ? { outcome: await work(args) } : { args };
      });
      return done.outcome ?? (await work(done.args));
    } catch (error) {
      return this.#failure(name, caller, error);
    }
  }

  #note(organizationId: string): void {
    this.#latest.delete(organizationId);
    this.#latest.set(organizationId, performance.now());
    if (this.#latest.size > 2) this.#latest.delete(this.#latest.keys().next().value!);
  }

  /** Runs heavy work of an organization, whose place stays taken during the rest that follows. */
  #heavyTurn<T>(turn: { key: string; deadline: number }, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const runAndRest = async () => {
        const started = performance.now();
        await work().then(resolve, reject);
        await this.#rest(turn.key, performance.now() - started);
      };
      this.#heavy.run(turn, runAndRest).catch(reject);
    });
  }

  /** While others call too, the heavy calls of an organization take at most half of the time. */
  async #rest(organizationId: string, tookMs: number): Promise<void> {
    const since = performance.now() - presentMs;
    const hasOthers = [...this.#latest].some(([id, calledMs]) => id !== organizationId && calledMs > since);
    if (hasOthers) await sleep(Math.min(tookMs, restMaxMs));
  }

  /** Returns the checked arguments; from 16 kB on, each step takes a turn of the event loop. */
  async #read({ input }: CallContract, body: Uint8Array, { organizationId }: Caller): Promise<unknown> {
    const parse = (): unknown => JSON.parse(new TextDecoder().decode(body));
    if (body.length < largeBodyBytes) return parseInput(input, parse());
    await this.#yield.next(organizationId);
    const given = parse();
    await this.#yield.next(organizationId);
    const args = parseInput(input, given);
    await this.#yield.next(organizationId);
    return args;
  }

  async #describe(served: Served, name: string, args: unknown, caller: Caller): Promise<Outcome> {
    const context = this.options.contexts.plain();
    const key = this.#keyOf(served.contract, name, args, caller);
    const replay = key && (await findReplay(key, context));
    if (replay) return replay;
    const { descriptions } = served.build(context);
    // As in `#carryOut`: requests to other services are calls of their own, and several may go to one tool.
    const own: Caller = { ...caller, now: new Date(caller.now), callId: null, wholeHash: undefined };
    return { ok: true, data: await descriptions[name]!(args as never, own) };
  }

  async #execute(served: Served, name: string, args: unknown, caller: SharingCaller): Promise<Outcome> {
    const execution = this.#carryOut(served, name, args, caller);
    if (served.contract.transaction === 'read') return await execution;
    // Handlers that open transactions themselves may write without one too.
    const outcome = await execution.finally(() => this.options.contexts.noteCommit());
    if (outcome.ok && this.options.live) {
      const { contract } = served;
      const change = liveChangeOf(this.#service, { name, contract }, { args, data: outcome.data }, caller);
      if (change) this.options.live.publish(change);
    }
    return outcome;
  }

  async #carryOut(
    { contract, build }: Served,
    name: string,
    args: unknown,
    { share, ...caller }: SharingCaller,
  ): Promise<Outcome> {
    const { contexts } = this.options;
    const own: Caller = { ...caller, now: new Date(caller.now), callId: null, wholeHash: undefined };
    const run = async (context: CallContext): Promise<Outcome> => ({
      ok: true,
      data: await handlerOf(build(context), name)(args as never, own),
    });
    if (contract.transaction === 'read') return await run(contexts.plain());
    const key = this.#keyOf(contract, name, args, caller);
    if (key === null) {
      return contract.transaction === 'write'
        ? await contexts.callTransaction(run, share)
        : await run(contexts.plain(share));
    }
    const once = {
      key,
      deadline: caller.deadline,
      contexts,
      share,
      run: (context: CallContext) =>
        run(context).catch((error: unknown): Outcome => {
          const { error: failure, defect } = failureOf(error);
          if (defect) throw error;
          return { ok: false, error: failure };
        }),
    };
    return contract.transaction === 'write' ? await executeIdempotent(once) : await executeIdempotentWithIo(once);
  }

  /** A key among the parameters means what an Idempotency-Key does, and goes before it. */
  #keyOf({ hasSecrets }: CallContract, name: string, args: unknown, caller: Caller): CallKey | null {
    const { organizationId, callId, wholeHash } = caller;
    const { idempotencyKey } = args as { idempotencyKey?: string };
    const id = idempotencyKey === undefined ? callId : `key:${idempotencyKey}`;
    if (id === null) return null;
    const hash = hasSecrets ? keyedRequestHash(this.options.hashKey, name, args) : requestHash(name, args);
    return { organizationId, callId: id, requestHash: hash, wholeHash };
  }

  #failure(name: string, caller: Caller, given: unknown): Outcome {
    const thrown = given instanceof SemaphoreTimeout ? new ToolError('DEADLINE_EXCEEDED', { tool: name }) : given;
    const { error, defect } = failureOf(thrown);
    const facts = { requestId: caller.requestId, organizationId: caller.organizationId, call: name };
    if (defect && isTransient(thrown)) {
      this.options.log.warn({ ...facts, err: thrown }, 'the database is in trouble');
      const params = { service: this.#service, trouble: troubleOf(thrown) };
      return { ok: false, error: failureOf(new ToolError('DATABASE_UNAVAILABLE', params)).error };
    }
    if (defect) this.options.log.error({ ...facts, err: thrown }, 'defect');
    else this.options.log.debug({ ...facts, reason: error.reason }, 'refused');
    return { ok: false, error };
  }
}

/** Whether a JSON value holds `count` values or more; each list and object counts as one, too. */
function hasValues(json: unknown, count: number): boolean {
  let left = count;
  const visit = (value: unknown): boolean => {
    left -= 1;
    return left <= 0 || (typeof value === 'object' && value !== null && Object.values(value).some(visit));
  };
  return visit(json);
}

const handlerOf = (implementation: Implementation, name: string) => implementation.handlers[name]!;

/** In words, by the errors of PostgreSQL (appendix A): disk_full, and the classes of lacking resources and of twins. */
function troubleOf(error: unknown): string {
  const { code } = error as { code?: string };
  if (code === '53100') return 'has no room left on its disk';
  if (code?.startsWith('53')) return 'has more to do than it can';
  if (code?.startsWith('40') || code === '55P03') return 'is busy with the same records';
  return 'does not answer at the moment';
}
