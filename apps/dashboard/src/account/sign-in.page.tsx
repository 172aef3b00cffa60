import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { callSession, noteSession } from '../data/session.js';
import { accountText } from '../messages/en/account.js';
import { Callout } from '../ui/states.js';
import { nextAddress } from './next-address.js';
import { SessionForm } from './session-form.js';
import { SignedOutFrame } from './signed-out-frame.js';

export function SignInPage() {
  const navigate = useNavigate();
  const { next }: { next?: unknown } = useSearch({ strict: false });
  const signIn = async (values: Record<string, string>) => {
    noteSession(await callSession('POST', '', values));
    await navigate({ href: nextAddress(next), replace: true });
  };
  return (
    <SignedOutFrame title={accountText('signIn.title')}>
      {isSecureContext ? (
        <SessionForm
          button={accountText('signIn.button')}
          onSubmit={signIn}
          fields={[
            { name: 'email', label: accountText('email'), type: 'email', autoComplete: 'username' },
            { name: 'password', label: accountText('password'), type: 'password', autoComplete: 'current-password' },
          ]}
        />
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
