import type { ServiceBus } from '#bus';
import { FactorService } from '../factor/factor.service.js';
import type { InTransaction, Repositories } from '../repositories.js';
import type { PasswordHasher } from '../user/password.js';
import { AccountLinkService } from './account-link.service.js';
import { OidcSignInService } from './oidc-sign-in.service.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordProof } from './password-proof.service.js';
import { SessionOpener } from './session-opener.service.js';
import { SessionService } from './session.service.js';
import { SignInService } from './sign-in.service.js';
import type { SystemMailer } from './system-mailer.client.js';

interface Dependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  hasher: PasswordHasher;
  mailer: SystemMailer;
  bus: ServiceBus;
  publicUrl: string;
}

/** The services of users and their sessions, joined. */
export function peopleServices(shared: Dependencies) {
  const opener = new SessionOpener(shared);
  const passwords = new PasswordProof({ ...shared, opener });
  const signIn = new SignInService({ ...shared, opener, passwords });
  return {
    opener,
    signIn,
    oidcSignIn: new OidcSignInService({ ...shared, opener, signIn }),
    factors: new FactorService({ ...shared, opener }),
    sessions: new SessionService({ ...shared, opener }),
    passwordChanges: new PasswordChangeService({ ...shared, opener, passwords }),
    accountLinks: new AccountLinkService({ ...shared, opener, passwords, signIn }),
  };
}
export type PeopleServices = ReturnType<typeof peopleServices>;
