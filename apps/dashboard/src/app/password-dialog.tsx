import { Suspense, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { callSession, currentSession, noteSession, onSession } from '../data/session.js';
import type { FactorsAsked, Session, SignInReply } from '../data/session.js';
import { commonText } from '../messages/en/common.js';
import { factorText } from '../messages/en/factors.js';
import { ssoText } from '../messages/en/single-sign-on.js';
import { FormDialog } from '../parts/form-dialog.js';
import { PasskeyButton, SecondStep } from '../parts/second-step.js';
import { SingleSignOnLink, useSignInOptions } from '../parts/single-sign-on.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field, TextInput } from '../ui/field.js';

interface DialogProps {
  kind: 'again' | 'signIn';
  onAnswer: (yes: boolean) => void;
}

/** Asks for a sign-in over the page: to prove a recent one, or to sign in again where the session ended. */
export const PasswordDialog = (props: DialogProps) => (
  <Suspense fallback={null}>
    <SignInDialog {...props} />
  </Suspense>
);

function SignInDialog({ kind, onAnswer }: DialogProps) {
  const { oidc, passwords } = useSignInOptions();
  const [asked, setAsked] = useState<FactorsAsked>();
  useNewSignIn(() => onAnswer(true));
  const link = oidc && <SingleSignOnLink host={oidc.host} next="/signed-in" again={kind === 'again'} newTab />;
  if (asked || !passwords)
    return (
      <Dialog
        key="second"
        title={asked ? factorText('step.title') : ssoText('again')}
        onClose={() => onAnswer(false)}
        footer={<Button onClick={() => onAnswer(false)}>{commonText('cancel')}</Button>}
      >
        {asked ? <SecondStep asked={asked} onSession={noteSession} /> : link}
      </Dialog>
    );
  return (
    <PasswordForm kind={kind} onAsked={setAsked} onClose={() => onAnswer(false)}>
      {link}
    </PasswordForm>
  );
}

function PasswordForm({
  kind,
  onAsked,
  onClose,
  children,
}: {
  kind: DialogProps['kind'];
  onAsked: (asked: FactorsAsked) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const [user] = useState(() => currentSession()?.user);
  const [password, setPassword] = useState('');
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const text = kind === 'again' ? 'again' : 'ended';
  const submit = async () => {
    setState({ busy: true });
    try {
      const reply = await (kind === 'again'
        ? callSession<SignInReply>('POST', '/again', { password })
        : callSession<SignInReply>('POST', '', { email: user?.email ?? '', password }));
      if ('ticket' in reply) onAsked(reply);
      else noteSession(reply);
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <FormDialog
      title={commonText(`${text}.title`)}
      button={commonText(`${text}.button`)}
      busy={state.busy}
      error={state.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{commonText(`${text}.lead`)}</p>
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      <Field label={commonText('password')}>
        {(control) => (
          <TextInput
            {...control}
            data-autofocus=""
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        )}
      </Field>
      {user?.secondFactor === true && (
        <PasskeyButton of={kind === 'again' ? { again: true } : {}} onSession={noteSession} />
      )}
      {children}
    </FormDialog>
  );
}

/** Calls back once the session is newer than at first, whether this tab or another one signed in. */
function useNewSignIn(onNew: () => void): void {
  const [before] = useState(currentSession);
  useEffect(
    () =>
      onSession(() => {
        const now: Session | null = currentSession();
        if (now && Date.parse(now.session.signedInAt) > Date.parse(before?.session.signedInAt ?? '0')) onNew();
      }),
    [before, onNew],
  );
}
