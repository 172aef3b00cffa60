import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callSession } from '../data/session.js';
import { accountText } from '../messages/en/account.js';
import { Callout } from '../ui/states.js';
import { SessionForm } from './session-form.js';
import { SignedOutFrame } from './signed-out-frame.js';

export function ForgotPage() {
  const [sentTo, setSentTo] = useState<string>();
  const request = async ({ email = '' }: Record<string, string>) => {
    await callSession('POST', '/forgot', { email });
    setSentTo(email);
  };
  return (
    <SignedOutFrame title={accountText('forgot.title')} lead={accountText('forgot.lead')}>
      {sentTo === undefined ? (
        <SessionForm
          button={accountText('forgot.button')}
          onSubmit={request}
          fields={[{ name: 'email', label: accountText('email'), type: 'email', autoComplete: 'username' }]}
        />
      ) : (
        <Callout tone="good">{accountText('forgot.sent', { email: sentTo })}</Callout>
      )}
      <p className="mt-5">
        <Link to="/sign-in" className="text-accent hover:underline">
          {accountText('forgot.back')}
        </Link>
      </p>
    </SignedOutFrame>
  );
}
