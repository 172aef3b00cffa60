import type { User } from '../user/user.repository.js';
import type { PasswordProof } from './password-proof.service.js';
import type { SessionAction } from './session-audit.service.js';
import type { Client, Opened, SessionOpener } from './session-opener.service.js';

/** What proved the user in this sign-in. SESSION: a session of the user that is in force. */
export type Proof = 'PASSWORD' | 'OIDC' | 'SESSION';

export interface Continuation {
  client: Client;
  action: SessionAction;
  proofs: readonly Proof[];
  /** The session that becomes recent and gets a new secret; without it a new session opens. */
  sessionId?: string;
  /** For the audit log. */
  target?: string;
}

/** The session that opened. A second step will answer `{factors, ticket}` here. */
export type SignInStep = Opened;

interface Dependencies {
  opener: SessionOpener;
  passwords: PasswordProof;
}

/** Signs users in, however they prove who they are (CONTRACT-PEOPLE, section 1). */
export class SignInService {
  constructor(private readonly dependencies: Dependencies) {}

  /** @throws ToolError SIGN_IN_REFUSED, the same for unknown addresses, and SIGN_IN_SLOWED */
  async signIn(email: string, password: string, client: Client): Promise<SignInStep> {
    const user = await this.dependencies.passwords.prove(email, password, client, 'sign_in');
    return await this.continueFor(user, { client, action: 'sign_in', proofs: ['PASSWORD'] });
  }

  /** @throws ToolError SESSION_ENDED, SIGN_IN_REFUSED, SIGN_IN_SLOWED */
  async signInAgain(secretHash: string, password: string, client: Client): Promise<SignInStep> {
    const action = 'sign_in_again';
    const { session, user } = await this.dependencies.passwords.proveOfSession(secretHash, password, client, action);
    return await this.continueFor(user, { client, action, proofs: ['PASSWORD'], sessionId: session.sessionId });
  }

  /** Goes on with a user who was proven: opens a session, or renews the one that is named. */
  async continueFor(
    { id }: Pick<User, 'id'>,
    { client, action, sessionId, target }: Continuation,
  ): Promise<SignInStep> {
    const { opener } = this.dependencies;
    const opened = await opener.open((repositories) =>
      sessionId === undefined ? opener.insert(repositories, id, client) : opener.renew(repositories, sessionId),
    );
    return await opener.record(opened, action, client, target);
  }
}
