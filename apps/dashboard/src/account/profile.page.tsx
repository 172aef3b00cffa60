import { useState } from 'react';
import { callSession, currentSession, noteSession } from '../data/session.js';
import type { Session } from '../data/session.js';
import { notify } from '../data/notices.js';
import { accountText } from '../messages/en/account.js';
import { Page } from '../parts/page.js';
import { Callout } from '../ui/states.js';
import { Choice, Field } from '../ui/field.js';
import { SessionForm } from './session-form.js';
import { withRecentSignIn } from './with-recent-sign-in.js';

const zones = Intl.supportedValuesOf('timeZone');

/** Name, address and time zone of the user. */
export function ProfilePage() {
  const user = currentSession()!.user;
  const [sentTo, setSentTo] = useState<string | null>(null);
  const save = async ({ name, email, timezone }: Record<string, string>) => {
    const isNew = email !== user.email;
    const change = { name, timezone: timezone || null, ...(isNew && { email }) };
    const saved = await withRecentSignIn(() =>
      callSession<Session & { confirmationSentTo: string | null }>('POST', '/profile', change),
    );
    noteSession(saved);
    setSentTo(saved.confirmationSentTo);
    notify({ kind: 'done', text: accountText('profile.saved') });
  };
  return (
    <Page title={accountText('profile.title')} wide={false}>
      <div className="flex max-w-sm flex-col gap-4">
        {sentTo !== null && <Callout tone="info">{accountText('profile.emailSent', { email: sentTo })}</Callout>}
        <SessionForm
          button={accountText('profile.button')}
          onSubmit={save}
          fields={[
            { name: 'name', label: accountText('name'), autoComplete: 'name', value: user.name },
            {
              name: 'email',
              label: accountText('email'),
              type: 'email',
              autoComplete: 'email',
              value: user.email,
              hint: accountText('profile.emailHint'),
            },
          ]}
        >
          <Field label={accountText('profile.timezone')}>
            {(control) => (
              <Choice
                {...control}
                name="timezone"
                defaultValue={user.timezone ?? ''}
                options={[
                  { value: '', label: accountText('profile.timezoneNone') },
                  ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
                ]}
              />
            )}
          </Field>
        </SessionForm>
      </div>
    </Page>
  );
}
