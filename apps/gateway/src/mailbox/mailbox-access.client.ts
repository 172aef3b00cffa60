import type { FastifyRequest } from 'fastify';
import { serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { sessionRequests } from '#contracts';
import { assertSameOrigin } from '../auth/authenticator.js';
import { lacksFactor } from '../auth/caller-facts.js';
import type { Authenticator } from '../auth/authenticator.js';

const askMs = 3_000;

/** Whether a caller sees caught mail. */
export type MailboxAccessDecision = 'allowed' | 'refused' | 'signedOut';

/**
 * Decides who sees caught mail, which holds password links: anyone while there is no user; then operators, and members
 * where there is only one organization.
 */
export class MailboxAccess {
  constructor(
    private readonly bus: Pick<Bus, 'client'>,
    private readonly authenticator: Authenticator,
  ) {}

  /** @throws RemoteFailure when the domain service does not answer */
  async decide(request: FastifyRequest): Promise<MailboxAccessDecision> {
    const domain = this.bus.client(sessionRequests);
    const { users, organizations } = await domain.count_users({}, serviceCaller('', request.id, askMs));
    if (users === 0) return 'allowed';
    const session = await this.authenticator.findSession(request);
    if (!session) return 'signedOut';
    // The catcher's pages know no csrf token; the session's cookie and their own origin must do.
    if (!['GET', 'HEAD'].includes(request.method)) assertSameOrigin(request);
    const isOnly = organizations === 1 && session.memberships.some((one) => !lacksFactor(session, one));
    return session.user.operator || isOnly ? 'allowed' : 'refused';
  }
}
