import { useState } from 'react';
import { callSession, currentSession, noteSession } from '../data/session.js';
import type { FactorsAsked, Session, SignInReply } from '../data/session.js';
import { commonText } from '../messages/en/common.js';
import { factorText } from '../messages/en/factors.js';
import { FormDialog } from '../parts/form-dialog.js';
import { PasskeyButton, SecondStep } from '../parts/second-step.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field, TextInput } from '../ui/field.js';

/** Asks for the password over the page: to prove a recent sign-in, or to sign in again where the session ended. */
export function PasswordDialog({ kind, onAnswer }: { kind: 'again' | 'signIn'; onAnswer: (yes: boolean) => void }) {
  const [user] = useState(() => currentSession()?.user);
  const [password, setPassword] = useState('');
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const text = kind === 'again' ? 'again' : 'ended';
  const [asked, setAsked] = useState<FactorsAsked>();
  const enter = (session: Session) => {
    noteSession(session);
    onAnswer(true);
  };
  const submit = async () => {
    setState({ busy: true });
    try {
      const reply = await (kind === 'again'
        ? callSession<SignInReply>('POST', '/again', { password })
        : callSession<SignInReply>('POST', '', { email: user?.email ?? '', password }));
      if ('ticket' in reply) setAsked(reply);
      else enter(reply);
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  if (asked)
    return (
      <Dialog
        key="second"
        title={factorText('step.title')}
        onClose={() => onAnswer(false)}
        footer={<Button onClick={() => onAnswer(false)}>{commonText('cancel')}</Button>}
      >
        <SecondStep asked={asked} onSession={enter} />
      </Dialog>
    );
  return (
    <FormDialog
      title={commonText(`${text}.title`)}
      button={commonText(`${text}.button`)}
      busy={state.busy}
      error={state.error}
      onSubmit={submit}
      onClose={() => onAnswer(false)}
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
      {user?.secondFactor === true && <PasskeyButton of={kind === 'again' ? { again: true } : {}} onSession={enter} />}
    </FormDialog>
  );
}
