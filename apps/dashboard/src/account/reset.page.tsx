import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callSession } from '../data/session.js';
import { accountText } from '../messages/en/account.js';
import { Callout } from '../ui/states.js';
import { SessionForm } from './session-form.js';
import { useLinkToken } from './use-link-token.js';
import { SignedOutFrame } from './signed-out-frame.js';

export function ResetPage() {
  const token = useLinkToken();
  const [isDone, setDone] = useState(false);
  const reset = async ({ password = '' }: Record<string, string>) => {
    await callSession('POST', '/reset', { token, password });
    setDone(true);
  };
  return (
    <SignedOutFrame title={accountText('reset.title')} lead={accountText('reset.lead')}>
      {token === '' && <Callout tone="warn">{accountText('reset.noToken')}</Callout>}
      {isDone && <Callout tone="good">{accountText('reset.done')}</Callout>}
      {token !== '' && !isDone && (
        <SessionForm
          button={accountText('reset.button')}
          onSubmit={reset}
          fields={[
            {
              name: 'password',
              label: accountText('newPassword'),
              type: 'password',
              autoComplete: 'new-password',
              hint: accountText('passwordHint'),
            },
          ]}
        />
      )}
      <p className="mt-5">
        <Link to="/sign-in" className="text-accent hover:underline">
          {accountText('forgot.back')}
        </Link>
      </p>
    </SignedOutFrame>
  );
}
