import { randomBytes } from 'node:crypto';
import type { ServiceBus } from '#bus';
import type { SessionFacts } from '#contracts';
import { ToolError } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import { hashSecret } from './one-time-link.repository.js';
import { recordSession } from './session-audit.service.js';
import type { SessionAction } from './session-action.js';

/** The browser and address from which a user comes. */
export interface Client {
  ip: string;
  browser: string | null;
  device: string | null;
  requestId: string;
}

/** What the audit log keeps of a request that may come without a client from older gateways. */
export type Origin = Pick<Client, 'requestId'> & { ip: string | null };

export interface Opened {
  secret: string;
  session: SessionFacts;
}

interface Dependencies {
  repositories: Pick<Repositories, 'sessions'>;
  inTransaction: InTransaction;
  bus: Pick<ServiceBus, 'broadcast'>;
}

/** Inserts and renews sessions, and reports to the gateways which ended. Whether the user is proven is for the caller. */
export class SessionOpener {
  constructor(private readonly dependencies: Dependencies) {}

  /** @throws ToolError SESSION_ENDED */
  async find(secretHash: string): Promise<SessionFacts> {
    const session = await this.dependencies.repositories.sessions.findByHash(secretHash);
    if (!session) throw new ToolError('SESSION_ENDED', {});
    return session;
  }

  /** @returns the new session's secret; ids of sessions that end for it */
  async insert({ sessions }: Repositories, userId: string, client: Client) {
    const secret = makeSessionSecret();
    return { secret, ended: await sessions.insert(userId, hashSecret(secret), client) };
  }

  async renew({ sessions }: Repositories, sessionId: string) {
    const secret = makeSessionSecret();
    await sessions.updateSecret(sessionId, hashSecret(secret));
    return { secret, ended: [] };
  }

  async open(work: (repositories: Repositories) => Promise<{ secret: string; ended: string[] }>): Promise<Opened> {
    const { secret, ended } = await this.dependencies.inTransaction(work);
    this.announceEnded(ended);
    return { secret, session: await this.find(hashSecret(secret)) };
  }

  async record(opened: Opened, action: SessionAction, { ip, requestId }: Client, target: string | null = null) {
    const { sessionId, user } = opened.session;
    const event = { action, userId: user.id, sessionId, target, ip, requestId };
    await this.dependencies.inTransaction((within) => recordSession(within, event));
    return opened;
  }

  /** Gateways forget ended sessions. */
  announceEnded(sessionIds: readonly string[]): void {
    if (sessionIds.length > 0) this.dependencies.bus.broadcast('session.ended', { sessionIds });
  }
}

const makeSessionSecret = (): string => `tds_${randomBytes(32).toString('base64url')}`;
