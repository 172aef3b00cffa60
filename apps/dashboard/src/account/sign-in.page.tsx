import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { callSession, noteSession } from '../data/session.js';
import type { FactorsAsked, ProvingFactor, Session, SignInReply } from '../data/session.js';
import { accountText } from '../messages/en/account.js';
import { ssoProblem } from '../messages/en/single-sign-on.js';
import { SingleSignOnLink, useSignInOptions } from '../parts/single-sign-on.js';
import { Callout, Skeleton } from '../ui/states.js';
import { isServedElsewhere, nextAddress } from './next-address.js';
import { SessionForm } from './session-form.js';
import { SignedOutFrame } from './signed-out-frame.js';

// After the first paint: the sign-in is the first page that a browser loads.
const SecondStep = lazy(async () => ({ default: (await import('../parts/second-step.js')).SecondStep }));
const PasskeyButton = lazy(async () => ({ default: (await import('../parts/second-step.js')).PasskeyButton }));

export function SignInPage() {
  const navigate = useNavigate();
  const { next, problem }: { next?: unknown; problem?: unknown } = useSearch({ strict: false });
  const [asked, setAsked] = useState(askedByProvider);
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  const enter = async (session: Session) => {
    noteSession(session);
    const href = nextAddress(next);
    await navigate({ href, replace: true, reloadDocument: isServedElsewhere(href) });
  };
  if (asked)
    return (
      <SignedOutFrame key="second" title={accountText('signIn.second')}>
        <Suspense fallback={<Skeleton className="h-32" />}>
          <SecondStep asked={asked} onSession={enter} />
        </Suspense>
        <BackLink onBack={() => setAsked(undefined)} />
      </SignedOutFrame>
    );
  return (
    <SignedOutFrame title={accountText('signIn.title')}>
      <div className="flex flex-col gap-3">
        {typeof problem === 'string' && <Callout tone="bad">{ssoProblem(problem)}</Callout>}
        {isSecureContext ? (
          <Suspense fallback={<Skeleton className="h-40" />}>
            <Ways next={nextAddress(next)} onAsked={setAsked} onSession={enter} />
          </Suspense>
        ) : (
          <Callout tone="warn">{accountText('signIn.insecure')}</Callout>
        )}
      </div>
    </SignedOutFrame>
  );
}

/** The ways to sign in that the operator allows. */
function Ways({
  next,
  onAsked,
  onSession,
}: {
  next: string;
  onAsked: (asked: FactorsAsked) => void;
  onSession: (session: Session) => Promise<void>;
}) {
  const { oidc, passwords } = useSignInOptions();
  const signIn = async (values: Record<string, string>) => {
    const reply = await callSession<SignInReply>('POST', '', values);
    if ('ticket' in reply) onAsked(reply);
    else await onSession(reply);
  };
  return (
    <>
      {passwords && (
        <>
          <SessionForm
            button={accountText('signIn.button')}
            onSubmit={signIn}
            fields={[
              { name: 'email', label: accountText('email'), type: 'email', autoComplete: 'username' },
              { name: 'password', label: accountText('password'), type: 'password', autoComplete: 'current-password' },
            ]}
          />
          <Suspense fallback={<div className="h-9" />}>
            <PasskeyButton of={{}} onSession={onSession} />
          </Suspense>
        </>
      )}
      {oidc && <SingleSignOnLink host={oidc.host} next={next} />}
      {passwords && (
        <p className="mt-2">
          <Link to="/forgot" className="text-accent hover:underline">
            {accountText('signIn.forgot')}
          </Link>
        </p>
      )}
    </>
  );
}

/** The second step after a sign-in at the identity provider, which stands in the fragment. */
function askedByProvider(): FactorsAsked | undefined {
  const given = new URLSearchParams(location.hash.slice(1));
  const ticket = given.get('ticket');
  if (ticket === null) return undefined;
  return { ticket, factors: (given.get('factors') ?? '').split(' ') as ProvingFactor[] };
}

function BackLink({ onBack }: { onBack: () => void }) {
  return (
    <p className="mt-5">
      <button type="button" className="text-accent hover:underline" onClick={onBack}>
        {accountText('forgot.back')}
      </button>
    </p>
  );
}
