import { randomBytes } from 'node:crypto';
import type { NatsContext } from '@nestjs/microservices';
import { BusServer, CallerReader } from '#bus';
import type { Approval, AuditEntry, TokenFacts } from '#contracts';
import { testLogLevel } from '#testing';
import { failureOf, hashApiToken } from '#tool-call';
import type { Caller, Outcome } from '#tool-call';
import { boot } from '../src/boot.js';
import { gatewayEnvironment } from '../src/config.js';
import type { PermitTake } from '../src/auth/permit-queue.js';

/** JSON whose shape is defined by the suite that sends or reads it. */
// oxlint-disable-next-line typescript/no-explicit-any -- a suite asserts on it
export type Json = Record<string, any>;
/** The result of a fake for one call; any error it throws becomes a refusal. */
export type FakeAnswer = (input: Json, caller: Caller) => unknown;

export const masterKey = '5f'.repeat(32);
/** A namespace of one suite on the shared server. */
export const freshNamespace = (): string => `gw_${randomBytes(5).toString('hex')}`;
const natsUrl = (): string => process.env.NATS_URL!;

const callers = new CallerReader();

/** A fake's result that is a whole outcome, not data. */
export class Whole {
  constructor(readonly outcome: Outcome) {}
}

/**
 * Serves calls on the real wire in place of a service.
 * @param answers by subject: `tools.subscriber.list_tags`
 */
export async function fakeService(namespace: string, answers: Record<string, FakeAnswer>): Promise<BusServer> {
  const server = new BusServer({ url: natsUrl(), namespace, name: 'stand-in', queue: 'stand-in' });
  for (const [subject, answer] of Object.entries(answers)) {
    server.addHandler(subject, async (body: Uint8Array, context: NatsContext): Promise<Outcome> => {
      try {
        const caller = callers.read(context.getHeaders().get('caller'));
        const data = await answer(JSON.parse(Buffer.from(body).toString()) as Json, caller);
        return data instanceof Whole ? data.outcome : { ok: true, data };
      } catch (error) {
        return { ok: false, error: failureOf(error).error };
      }
    });
  }
  await new Promise<void>((resolve, reject) => {
    void server.listen((error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
  });
  return server;
}

/** The domain service's requests for authentication, in memory. */
export class FakeDomainService {
  readonly tokens = new Map<string, TokenFacts>();
  readonly used = new Map<string, number>();
  lookUps = 0;
  /** Each request for permits, with its takes. */
  permitRequests: PermitTake[][] = [];
  /** Entries written to the audit log. */
  readonly audited: AuditEntry[] = [];
  /** A person's decision on a call, by its hash. */
  readonly approvals = new Map<string, Approval>();
  /** What the approved call answered. */
  outcome: Outcome | null = null;
  /** Users of the installation. */
  users = 0;
  resetAt = Math.floor(Date.now() / 1000) + 42;
  organizationName = 'Ada & Söhne';

  /** Adds a token of an organization. */
  token(name: string, change: Partial<TokenFacts> = {}): string {
    const facts: TokenFacts = {
      tokenId: `tok_${name}`,
      organizationId: `org_${name}`,
      scopes: ['read', 'write', 'send'],
      selfConfirm: true,
      expiresAt: null,
      plan: 'ENTERPRISE',
      ratePerMinute: 100_000,
      quotas: { contacts: null, mailsPerMonth: null, domains: null },
      cell: null,
      ...change,
    };
    this.tokens.set(hashApiToken(name), facts);
    return name;
  }

  answers(): Record<string, FakeAnswer> {
    return {
      'requests.domain.authenticate_token': ({ tokenHash }) => {
        this.lookUps += 1;
        return { token: this.tokens.get(tokenHash as string) ?? null };
      },
      'requests.domain.take_permits': (input) => {
        const takes = input.takes as PermitTake[];
        this.permitRequests.push(takes);
        return { grants: takes.map((take) => this.#grant(take)) };
      },
      'requests.domain.record_audit': (input) => {
        this.audited.push(...(input.entries as AuditEntry[]));
        return {};
      },
      'requests.domain.find_approval': ({ requestHash }) => ({
        approval: this.approvals.get(requestHash as string) ?? null,
        outcome: this.outcome ?? undefined,
      }),
      'requests.domain.ask_approval': ({ requestHash, tool, action, message, actor }, { organizationId }) => {
        const at = new Date().toISOString();
        const approval: Approval = {
          id: `apr_${this.approvals.size}`,
          organizationId,
          tokenId: (actor as { id: string }).id,
          tokenName: 'bound',
          tool: tool as string,
          action: action as string,
          message: message as string,
          state: 'PENDING',
          askedAt: at,
          decidedAt: null,
          expiresAt: at,
        };
        this.approvals.set(requestHash as string, approval);
        return { approval };
      },
      'requests.domain.count_users': () => ({ users: this.users, organizations: 1 }),
      'requests.domain.get_organization': () => ({ organization: { name: this.organizationName } }),
    };
  }

  #grant({ organizationId, limit, count }: PermitTake) {
    const used = this.used.get(organizationId) ?? 0;
    const granted = Math.min(count, Math.max(0, limit - used));
    this.used.set(organizationId, used + granted);
    return { organizationId, granted, remaining: limit - used - granted, resetAt: this.resetAt };
  }
}

/** A response with its body read. */
export interface FakeReply {
  status: number;
  headers: Headers;
  body: Json;
}

/** A gateway under test and how to call it. */
export class TestGateway {
  private constructor(
    readonly url: string,
    /** Address of the health port. */
    readonly healthUrl: string,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(namespace: string, environment: Record<string, string> = {}): Promise<TestGateway> {
    const { facts, stop } = await boot(
      gatewayEnvironment.parse({
        NATS_URL: natsUrl(),
        NATS_NAMESPACE: namespace,
        MASTER_KEY: masterKey,
        LOG_LEVEL: testLogLevel,
        PORT: '0',
        ...environment,
      }),
    );
    return new TestGateway(facts!.url as string, `http://127.0.0.1:${facts!.healthPort as number}`, stop);
  }

  async call(
    token: string,
    tool: string,
    body: unknown = {},
    headers: Record<string, string> = {},
  ): Promise<FakeReply> {
    return await this.send(`/api/v2/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Sends any request whose response is JSON. */
  async send(path: string, init: RequestInit = {}): Promise<FakeReply> {
    const response = await fetch(this.url + path, init);
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Json,
    };
  }
}
