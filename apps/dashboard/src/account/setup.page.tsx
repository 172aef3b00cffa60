import { useNavigate } from '@tanstack/react-router';
import { callSession, noteSession } from '../data/session.js';
import { accountText } from '../messages/en/account.js';
import { Callout } from '../ui/states.js';
import { SessionForm } from './session-form.js';
import { useLinkToken } from './use-link-token.js';
import { SignedOutFrame } from './signed-out-frame.js';

/** Makes the first user of an installation, by the link that `npm start` prints. */
export function SetupPage() {
  const token = useLinkToken();
  const navigate = useNavigate();
  const setUp = async (values: Record<string, string>) => {
    noteSession(await callSession('POST', '/setup', { ...values, token }));
    await navigate({ to: '/', replace: true });
  };
  return (
    <SignedOutFrame title={accountText('setup.title')} lead={accountText('setup.lead')}>
      {token === '' ? (
        <Callout tone="warn">{accountText('setup.noToken')}</Callout>
      ) : (
        <SessionForm
          button={accountText('setup.button')}
          onSubmit={setUp}
          fields={[
            { name: 'name', label: accountText('name'), autoComplete: 'name' },
            { name: 'email', label: accountText('email'), type: 'email', autoComplete: 'username' },
            {
              name: 'password',
              label: accountText('password'),
              type: 'password',
              autoComplete: 'new-password',
              hint: accountText('passwordHint'),
            },
          ]}
        />
      )}
    </SignedOutFrame>
  );
}
