import { ToolError } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import type { PasswordHasher } from '../user/password.js';
import type { User } from '../user/user.repository.js';
import { recordSession } from './session-audit.service.js';
import type { SessionAction } from './session-action.js';
import type { Client, SessionOpener } from './session-opener.service.js';
import { keyOf } from './user-address.js';

interface Dependencies {
  repositories: Pick<Repositories, 'users'>;
  inTransaction: InTransaction;
  hasher: PasswordHasher;
  opener: SessionOpener;
}

/** Proves users by their passwords; failures are counted and slow further attempts. */
export class PasswordProof {
  constructor(private readonly dependencies: Dependencies) {}

  async prove(email: string, password: string, client: Client, action: SessionAction): Promise<User> {
    const { repositories, inTransaction, hasher } = this.dependencies;
    const attempt = { emailKey: keyOf(email), ip: client.ip, device: client.device };
    await inTransaction(({ signInCounts }) => signInCounts.begin(attempt));
    const user = await repositories.users.findByEmail(attempt.emailKey);
    const { ok, rehashed } = await hasher.verify(password, user?.passwordHash ?? null);
    if (!ok || !user) {
      const { ip, requestId } = client;
      const failed = { action, outcome: 'SIGN_IN_REFUSED', ip, requestId };
      if (user)
        void inTransaction((within) => recordSession(within, { ...failed, userId: user.id })).catch(() => undefined);
      throw new ToolError('SIGN_IN_REFUSED', {});
    }
    await inTransaction(async ({ signInCounts, users }) => {
      await signInCounts.succeed(attempt);
      if (rehashed !== undefined) await users.update(user.id, { passwordHash: rehashed });
    });
    return user;
  }

  async proveOfSession(secretHash: string, password: string, client: Client, action: SessionAction) {
    const session = await this.dependencies.opener.find(secretHash);
    return { session, user: await this.prove(session.user.email, password, client, action) };
  }
}
