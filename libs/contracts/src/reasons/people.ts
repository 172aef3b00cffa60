import { missing, reason } from './reason.js';

export const peopleReasons = {
  SIGN_IN_REFUSED: reason<object>('UNAUTHENTICATED', () => 'The email address or the password is wrong.'),
  SIGN_IN_SLOWED: reason<object>(
    'RATE_LIMITED',
    () => 'Too many attempts failed. Try again after Retry-After seconds.',
  ),
  OIDC_OFF: reason<object>(
    'NOT_FOUND',
    () =>
      'This installation has no identity provider. The operator sets OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
  ),
  OIDC_UNAVAILABLE: reason<object>('UNAVAILABLE', () => 'The identity provider does not answer. Try again later.'),
  OIDC_ATTEMPT_OVER: reason<object>(
    'UNAUTHENTICATED',
    () => 'This sign-in began in another browser or more than 10 minutes ago. Begin again.',
  ),
  OIDC_REFUSED: reason<{ problem: string }>(
    'UNAUTHENTICATED',
    ({ problem }) => `The identity provider refused the sign-in (${problem}).`,
  ),
  OIDC_ADDRESS_UNVERIFIED: reason<object>(
    'UNAUTHENTICATED',
    () => 'The identity provider names no email address that it has verified.',
  ),
  OIDC_USER_UNKNOWN: reason<object>(
    'UNAUTHENTICATED',
    () =>
      'No user and no open invitation has the address that the identity provider names. Ask an admin for an invitation.',
  ),
  OIDC_OTHER_USER: reason<object>(
    'FORBIDDEN',
    () => 'The identity provider signed in another user than the one of this session.',
  ),
  PASSWORD_SIGN_IN_OFF: reason<object>(
    'FORBIDDEN',
    () => 'Users of this installation sign in through its identity provider, without a password (OIDC_ONLY).',
  ),
  SESSION_ENDED: reason<object>('UNAUTHENTICATED', () => 'The session has ended. Sign in again.'),
  CSRF_REFUSED: reason<{ problem: string }>(
    'FORBIDDEN',
    ({ problem }) => `The request of this session is refused: ${problem}.`,
  ),
  CONNECTION_INSECURE: reason<{ host: string }>(
    'FORBIDDEN',
    ({ host }) =>
      `Users sign in over HTTPS only; plain HTTP is accepted on this machine alone, not as "${host}". Put a proxy with TLS before the gateway, set PUBLIC_URL to its address and TRUST_PROXY to its network.`,
  ),
  REAUTHENTICATION_REQUIRED: reason<{ call: string }>(
    'FORBIDDEN',
    ({ call }) => `${call} needs a sign-in of the last 10 minutes. Enter the password again, then repeat the call.`,
  ),
  SECOND_FACTOR_REQUIRED: reason<{ organization: string }>(
    'FORBIDDEN',
    ({ organization }) =>
      `${organization} requires a second factor of its members. Set one up on your account page, then repeat the call.`,
  ),
  TICKET_OVER: reason<object>(
    'UNAUTHENTICATED',
    () => 'This step is unknown, was used, or is older than five minutes. Begin again.',
  ),
  FACTOR_REFUSED: reason<{ problem: string }>(
    'UNAUTHENTICATED',
    ({ problem }) => `The second factor is refused: ${problem}.`,
  ),
  FACTOR_NOT_FOUND: reason<{ id: string }>('NOT_FOUND', ({ id }) => `You have no second factor with id "${id}".`),
  FACTORS_TOO_MANY: reason<{ limit: number; what: string }>(
    'CONFLICT',
    ({ limit, what }) => `You have ${limit} ${what}, the most that a user may have. Remove one first.`,
  ),
  FACTOR_MISSING: reason<{ call: string }>(
    'CONFLICT',
    ({ call }) => `${call} needs a second factor of your own. Set one up on your account page first.`,
  ),
  PASSKEY_UNAVAILABLE: reason<{ problem: string }>('CONFLICT', ({ problem }) => `No passkey works here: ${problem}.`),
  USER_REQUIRED: reason<{ call: string }>(
    'FORBIDDEN',
    ({ call }) => `${call} needs a user's session or the operator's command; a token cannot call it.`,
  ),
  ORGANIZATION_REQUIRED: reason<{ organizations: readonly string[] }>('VALIDATION_ERROR', ({ organizations }) =>
    organizations.length > 0
      ? `You are a member of several organizations. Send the header "Tidings-Organization" with one of ${organizations.join(', ')}.`
      : 'You are not a member of any organization. Ask an admin for an invitation.',
  ),
  ROLE_TOO_LOW: reason<{ call: string; role: string; needed: string }>(
    'FORBIDDEN',
    ({ call, role, needed }) => `${call} needs ${needed}; your role is ${role}. Ask an admin of your organization.`,
  ),
  PASSWORD_REFUSED: reason<{ problem: string }>(
    'VALIDATION_ERROR',
    ({ problem }) => `The password ${problem}. Use 12 to 200 characters that are hard to guess.`,
  ),
  LINK_OVER: reason<object>('NOT_FOUND', () => 'The link is unknown, expired, used or revoked. Request a new one.'),
  MEMBER_NOT_FOUND: missing('member', 'list_members'),
  MEMBER_EXISTS: reason<{ email: string }>('CONFLICT', ({ email }) => `${email} is already a member.`),
  INVITATION_NOT_FOUND: missing('invitation', 'list_invitations'),
  INVITATIONS_TOO_MANY: reason<{ limit: number; what: string }>(
    'RATE_LIMITED',
    ({ limit, what }) => `The organization has ${limit} ${what}. Revoke or remove one first.`,
  ),
  ROLE_TOO_HIGH: reason<{ role: string; own: string }>(
    'FORBIDDEN',
    ({ role, own }) => `Only an owner may grant, change or remove the role ${role}; your role is ${own}.`,
  ),
  LAST_OWNER: reason<object>('CONFLICT', () => 'An organization must keep one owner. Make another member owner first.'),
  SCOPE_TOO_HIGH: reason<{ scope: string; why: string }>(
    'FORBIDDEN',
    ({ scope, why }) => `The scope "${scope}" cannot be granted: ${why}.`,
  ),
  TOKENS_TOO_MANY: reason<{ limit: number; whose: string }>(
    'RATE_LIMITED',
    ({ limit, whose }) => `${whose} has ${limit} tokens in force. Revoke one first.`,
  ),
  TOKEN_TOOLSET_MISSING: reason<{ call: string; toolsets: readonly string[] }>(
    'FORBIDDEN',
    ({ call, toolsets }) =>
      `${call} is outside the toolsets of this token, which are ${toolsets.join(', ')}. Use another token.`,
  ),
  APPROVERS_TOO_FEW: reason<{ approvers: number }>(
    'CONFLICT',
    ({ approvers }) =>
      `With approvals ALL, an organization needs two approvers; ${approvers} would remain. Approvers are members with the role approver, admin or owner.`,
  ),
  RETENTION_RANGE: reason<{ data: string; min: number; max: number | null }>(
    'REFUSED',
    ({ data, min, max }) =>
      `The period of ${data} must be ${max === null ? `at least ${min} months` : `from ${min} to ${max} months, the time of the installation`}. null takes the installation's.`,
  ),
  TOKEN_ENDED: reason<{ id: string }>('CONFLICT', ({ id }) => `The token ${id} has expired or is revoked.`),
};
