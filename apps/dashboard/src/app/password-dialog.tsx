import { useState } from 'react';
import { callSession, currentSession, noteSession } from '../data/session.js';
import { commonText } from '../messages/en/common.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Field, TextInput } from '../ui/field.js';

/** Asks for the password over the page: to prove a recent sign-in, or to sign in again where the session ended. */
export function PasswordDialog({ kind, onAnswer }: { kind: 'again' | 'signIn'; onAnswer: (yes: boolean) => void }) {
  const [user] = useState(() => currentSession()?.user);
  const [password, setPassword] = useState('');
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const text = kind === 'again' ? 'again' : 'ended';
  const submit = async () => {
    setState({ busy: true });
    try {
      const session = await (kind === 'again'
        ? callSession('POST', '/again', { password })
        : callSession('POST', '', { email: user?.email ?? '', password }));
      noteSession(session);
      onAnswer(true);
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
    </FormDialog>
  );
}
