import { defineTexts } from '../text.js';

const texts = {
  button: 'Continue with single sign-on',
  at: 'You sign in at {host}.',
  again: 'Sign in again',
  newTab: 'It opens in a new tab. Come back here when you are done.',
  'signedIn.title': 'You are signed in',
  'signedIn.lead': 'Close this tab and go on where you were.',
  OIDC_OFF: 'This installation has no identity provider.',
  OIDC_UNAVAILABLE: 'The identity provider does not answer. Try again later.',
  OIDC_ATTEMPT_OVER: 'The sign-in began in another browser or more than 10 minutes ago. Begin again.',
  OIDC_REFUSED: 'The identity provider refused the sign-in. Try again, or ask who manages your account there.',
  OIDC_ADDRESS_UNVERIFIED: 'The identity provider names no email address that it has verified.',
  OIDC_USER_UNKNOWN: 'No account here has your address. Ask an admin for an invitation.',
  OIDC_OTHER_USER: 'You signed in as another user than before. Sign in as the same user.',
  SESSION_ENDED: 'Your session has ended. Sign in again.',
  INVITATIONS_TOO_MANY: 'The organization has no place for another member.',
  other: 'The sign-in did not work. Try again.',
};
/** Sign-in through an identity provider. */
export const ssoText = defineTexts('singleSignOn', texts);

/** Why a sign-in failed. @param reason of the API, as it stands in the address */
export const ssoProblem = (reason: string): string =>
  ssoText(/^[A-Z_]+$/.test(reason) && Object.hasOwn(texts, reason) ? (reason as keyof typeof texts) : 'other');
