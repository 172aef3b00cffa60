import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { callSession, currentSession, noteSession } from '../data/session.js';
import type { FactorsAsked, Role, Session, SignInReply } from '../data/session.js';
import { accountText } from '../messages/en/account.js';
import { shellText } from '../messages/en/shell.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { SecondStep } from '../parts/second-step.js';
import { SingleSignOnLink, useSignInOptions } from '../parts/single-sign-on.js';
import { Callout, Skeleton } from '../ui/states.js';
import { SessionForm } from './session-form.js';
import type { FormField } from './session-form.js';
import { withRecentSignIn } from './with-recent-sign-in.js';
import { keepLinkToken, useLinkToken } from './use-link-token.js';
import { SignedOutFrame } from './signed-out-frame.js';

interface Invitation {
  email: string;
  role: Role;
  organization: string;
  invitedBy: string | null;
  expiresAt: string;
  isKnown: boolean;
}

/** Shows what an invitation is for, and accepts it: with a new account, a known one, or as the user who is signed in. */
export function InvitationPage() {
  const token = useLinkToken();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: [null, 'invitation', token],
    queryFn: () => callSession<{ invitation: Invitation }>('POST', '/invitation', { token }),
    enabled: token !== '',
  });
  const invitation = data?.invitation;
  const isOwn = invitation !== undefined && currentSession()?.user.email === invitation.email;
  const [asked, setAsked] = useState<FactorsAsked>();
  const enter = async (session: Session) => {
    noteSession(session);
    await navigate({ to: '/', replace: true });
  };
  const join = async (values: Record<string, string>) => {
    const person = isOwn ? { accept: true } : values;
    const reply = await withRecentSignIn(() => callSession<SignInReply>('POST', '/invitation', { token, ...person }));
    if ('ticket' in reply) setAsked(reply);
    else await enter(reply);
  };
  if (asked)
    return (
      <SignedOutFrame key="second" title={accountText('signIn.second')}>
        <SecondStep asked={asked} onSession={enter} />
      </SignedOutFrame>
    );
  return (
    <SignedOutFrame
      title={
        invitation
          ? accountText('invitation.title', { organization: invitation.organization })
          : accountText('invitation.titlePlain')
      }
      {...(invitation && { lead: leadOf(invitation) })}
    >
      {token === '' && <Callout tone="warn">{accountText('invitation.noToken')}</Callout>}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {token !== '' && !error && !invitation && <Skeleton className="h-40" />}
      {invitation && (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <Ways invitation={invitation} token={token} isOwn={isOwn} onJoin={join} />
        </Suspense>
      )}
    </SignedOutFrame>
  );
}

/** The ways to accept that the operator allows. */
function Ways({
  invitation,
  token,
  isOwn,
  onJoin,
}: {
  invitation: Invitation;
  token: string;
  isOwn: boolean;
  onJoin: (values: Record<string, string>) => Promise<void>;
}) {
  const { oidc, passwords } = useSignInOptions();
  return (
    <div className="flex flex-col gap-3">
      {passwords && invitation.isKnown && !isOwn && <p className="text-soft">{accountText('invitation.known')}</p>}
      {(isOwn || passwords) && (
        <SessionForm
          button={accountText('invitation.button')}
          onSubmit={onJoin}
          fields={isOwn ? [] : fieldsOf(invitation)}
        />
      )}
      {oidc && !isOwn && (
        // Who is new joins with the first sign-in; who is known comes back to this page.
        <SingleSignOnLink
          host={oidc.host}
          next={invitation.isKnown ? '/invitation' : '/'}
          onLeave={() => keepLinkToken(token)}
        />
      )}
    </div>
  );
}

function leadOf({ invitedBy, role }: Invitation): string {
  const named = shellText(`role.${role}`);
  return invitedBy
    ? accountText('invitation.lead', { by: invitedBy, role: named })
    : accountText('invitation.leadPlain', { role: named });
}

function fieldsOf({ isKnown }: Invitation): FormField[] {
  if (isKnown)
    return [{ name: 'password', label: accountText('password'), type: 'password', autoComplete: 'current-password' }];
  return [
    { name: 'name', label: accountText('name'), autoComplete: 'name' },
    {
      name: 'password',
      label: accountText('password'),
      type: 'password',
      autoComplete: 'new-password',
      hint: accountText('passwordHint'),
    },
  ];
}
