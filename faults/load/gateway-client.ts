import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests, tagTools } from '#contracts';
import type { TestSystem } from '#testing';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';

const everyMs = 20;
/** Delay until a balancer learns that a gateway leaves; Kubernetes allows it seconds before it signals the process. */
const heardAfterMs = 250;

/**
 * Creates tags through the gateway, each under an idempotency key that is repeated until there is an answer: a second
 * effect would be refused, since the name is taken.
 */
export class GatewayCaller {
  readonly #prefix = randomUUID();
  #answered = 0;
  readonly #breaches: string[] = [];
  #stopping = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly system: TestSystem,
    private readonly bus: Bus,
  ) {}

  static async start(system: TestSystem, bus: Bus): Promise<GatewayCaller> {
    await liftRateLimit(bus, system.organizationId);
    const caller = new GatewayCaller(system, bus);
    caller.#running = caller.#run();
    return caller;
  }

  /** @returns what was wrong with the answers, or with the effects */
  async stop(): Promise<string[]> {
    this.#stopping = true;
    await this.#running;
    const { tags } = await this.bus.client(tagTools).list_tags({}, serviceCaller(this.system.organizationId, 'rig'));
    const made = tags.filter(({ name }) => name.startsWith(this.#prefix)).length;
    if (made !== this.#answered) this.#breaches.push(`${this.#answered} calls were answered, ${made} had their effect`);
    return this.#breaches;
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#stopping && this.#breaches.length === 0; n++) {
      await retryUntilAnswered('a call through the gateway', () => this.#call(`${this.#prefix}-${n}`), 60_000).catch(
        (error: unknown) => this.#breaches.push(String(error)),
      );
      await pause(everyMs);
    }
  }

  async #call(name: string): Promise<void> {
    const { status, body } = await callTool(this.system, { tool: 'create_tag', input: { name }, key: name });
    if (status >= 500) throw new Error(`answered ${status}`);
    if (status === 200) this.#answered += 1;
    else this.#breaches.push(`create_tag was answered ${status} ${JSON.stringify(body)}`);
  }
}

/** Removes an organization's rate limit. */
export async function liftRateLimit(bus: Bus, organizationId: string): Promise<void> {
  const unlimited = { organizationId, ratePerMinute: 1_000_000 };
  await bus.client(domainRequests).set_organization(unlimited, serviceCaller('', 'rig'));
}

/** A tool by its name, or a POST to a path. */
export type ToolCall = ({ tool: string } | { path: string }) & {
  input: object;
  /** Of idempotency. */
  key?: string;
};

/** Posts a call over HTTP. */
export async function callTool(
  system: TestSystem,
  { input, key, ...call }: ToolCall,
  url = system.url(),
): Promise<{ status: number; body: Record<string, unknown> }> {
  const path = 'path' in call ? call.path : `/api/v2/tools/${call.tool}`;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${system.apiToken}`,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/**
 * Calls a tool through the n-th gateway, as a balancer before them does: one that is known to leave is left alone, and one
 * that takes no connection any more is passed over, also when it closed its door on one that was waiting there: nothing
 * was asked of it.
 */
export async function callSomewhere(system: TestSystem, call: ToolCall, n: number): ReturnType<typeof callTool> {
  for (let tried = 0; ; tried++) {
    const known = Date.now() - heardAfterMs;
    const gateways = system.alive('gateway').filter(({ leavesSince }) => !leavesSince || leavesSince > known);
    const url = gateways[(n + tried) % gateways.length]!.facts.url as string;
    try {
      return await callTool(system, call, url);
    } catch (error) {
      const { code, syscall } = ((error as Error).cause ?? {}) as { code?: string; syscall?: string };
      const isUnheard = syscall === 'connect' && (code === 'ECONNREFUSED' || code === 'ECONNRESET');
      if (!isUnheard || tried > 10) throw error;
    }
  }
}
