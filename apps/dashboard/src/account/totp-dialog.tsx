import { useState } from 'react';
import { callSession } from '../data/session.js';
import { factorText } from '../messages/en/factors.js';
import { CopiedValue } from '../parts/copied-value.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Field, TextInput } from '../ui/field.js';
import type { AddedFactor } from './factor.js';
import { QrCode } from './qr-code.js';

/** Shows the secret for an authenticator app, and has a code of it typed. */
export function TotpDialog({
  uri,
  secret,
  onAdded,
  onClose,
}: {
  uri: string;
  secret: string;
  onAdded: (added: AddedFactor) => void;
  onClose: () => void;
}) {
  const [code, setCode] = useState('');
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const submit = async () => {
    setState({ busy: true });
    try {
      onAdded(await callSession<AddedFactor>('POST', '/factors/totp/confirm', { code }));
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <FormDialog
      title={factorText('totp.title')}
      button={factorText('totp.button')}
      busy={state.busy}
      disabled={code.replace(/\s/g, '').length !== 6}
      error={state.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{factorText('totp.scan')}</p>
      <div className="flex justify-center">
        <QrCode text={uri} label={factorText('totp.qr')} />
      </div>
      <div>
        <p className="pb-1 text-sm text-soft">{factorText('totp.secret')}</p>
        <CopiedValue value={secret.match(/.{1,4}/g)!.join(' ')} what={factorText('totp.secretWhat')} />
      </div>
      <Field label={factorText('totp.code')}>
        {(control) => (
          <TextInput
            {...control}
            data-autofocus=""
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={7}
            spellCheck={false}
            value={code}
            onChange={({ target }) => setCode(target.value)}
            className="h-9! font-mono"
          />
        )}
      </Field>
    </FormDialog>
  );
}
