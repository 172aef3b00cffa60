import { Suspense, useState } from 'react';
import { callSession, noteSession } from '../data/session.js';
import { notify } from '../data/notices.js';
import { accountText } from '../messages/en/account.js';
import { Page } from '../parts/page.js';
import { useSignInOptions } from '../parts/single-sign-on.js';
import { Section } from '../ui/section.js';
import { FactorDuty } from './factor-duty.js';
import { SessionForm } from './session-form.js';
import { TwoStep } from './two-step.js';
import { withRecentSignIn } from './with-recent-sign-in.js';

/** The user's own second factors, and the password where users have one. */
export function SecurityPage() {
  return (
    <Page title={accountText('security.title')} wide={false}>
      <div className="flex flex-col gap-9">
        <FactorDuty />
        <TwoStep />
        <Suspense fallback={null}>
          <PasswordSection />
        </Suspense>
      </div>
    </Page>
  );
}

function PasswordSection() {
  const { passwords } = useSignInOptions();
  const [round, setRound] = useState(0);
  const change = async (values: Record<string, string>) => {
    noteSession(await withRecentSignIn(() => callSession('POST', '/password', values)));
    notify({ kind: 'done', text: accountText('security.saved') });
    setRound(round + 1);
  };
  if (!passwords) return null;
  return (
    <Section title={accountText('password')} lead={accountText('security.lead')}>
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
    </Section>
  );
}
