import { useState } from 'react';
import { callSession, noteSession } from '../data/session.js';
import { notify } from '../data/notices.js';
import { accountText } from '../messages/en/account.js';
import { Page } from '../parts/page.js';
import { SessionForm } from './session-form.js';

/** The user's own password. */
export function SecurityPage() {
  const [round, setRound] = useState(0);
  const change = async (values: Record<string, string>) => {
    noteSession(await callSession('POST', '/password', values));
    notify({ kind: 'done', text: accountText('security.saved') });
    setRound(round + 1);
  };
  return (
    <Page title={accountText('security.title')} lead={accountText('security.lead')} wide={false}>
      <div className="max-w-sm">
        <SessionForm
          key={round}
          button={accountText('security.button')}
          onSubmit={change}
          fields={[
            {
              name: 'current',
              label: accountText('currentPassword'),
              type: 'password',
              autoComplete: 'current-password',
            },
            {
              name: 'password',
              label: accountText('newPassword'),
              type: 'password',
              autoComplete: 'new-password',
              hint: accountText('passwordHint'),
            },
          ]}
        />
      </div>
    </Page>
  );
}
