import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { callSession, noteSession } from '../data/session.js';
import type { FactorsAsked, Session, SignInReply } from '../data/session.js';
import { accountText } from '../messages/en/account.js';
import { PasskeyButton, SecondStep } from '../parts/second-step.js';
import { Callout } from '../ui/states.js';
import { nextAddress } from './next-address.js';
import { SessionForm } from './session-form.js';
import { SignedOutFrame } from './signed-out-frame.js';

export function SignInPage() {
  const navigate = useNavigate();
  const { next }: { next?: unknown } = useSearch({ strict: false });
  const [asked, setAsked] = useState<FactorsAsked>();
  const enter = async (session: Session) => {
    noteSession(session);
    await navigate({ href: nextAddress(next), replace: true });
  };
  const signIn = async (values: Record<string, string>) => {
    const reply = await callSession<SignInReply>('POST', '', values);
    if ('ticket' in reply) setAsked(reply);
    else await enter(reply);
  };
  if (asked)
    return (
      <SignedOutFrame key="second" title={accountText('signIn.second')}>
        <SecondStep asked={asked} onSession={enter} />
        <BackLink onBack={() => setAsked(undefined)} />
      </SignedOutFrame>
    );
  return (
    <SignedOutFrame title={accountText('signIn.title')}>
      {isSecureContext ? (
        <div className="flex flex-col gap-3">
          <SessionForm
            button={accountText('signIn.button')}
            onSubmit={signIn}
            fields={[
              { name: 'email', label: accountText('email'), type: 'email', autoComplete: 'username' },
              { name: 'password', label: accountText('password'), type: 'password', autoComplete: 'current-password' },
            ]}
          />
          <PasskeyButton of={{}} onSession={enter} />
        </div>
      ) : (
        <Callout tone="warn">{accountText('signIn.insecure')}</Callout>
      )}
      <p className="mt-5">
        <Link to="/forgot" className="text-accent hover:underline">
          {accountText('signIn.forgot')}
        </Link>
      </p>
    </SignedOutFrame>
  );
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
