import { useState } from 'react';
import type { FormEvent } from 'react';
import { hasPasskeys, isCancelled, proveByPasskey } from '../data/passkeys.js';
import { callSession } from '../data/session.js';
import type { FactorsAsked, ProvingFactor, Session } from '../data/session.js';
import { factorText } from '../messages/en/factors.js';
import { Button } from '../ui/button.js';
import type { ButtonLook } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';
import { Callout } from '../ui/states.js';
import { ErrorNotice } from './error-notice.js';

const order: readonly ProvingFactor[] = ['TOTP', 'PASSKEY', 'RECOVERY_CODE'];

/** The second step of a sign-in: a code, a passkey or a recovery code. */
export function SecondStep({
  asked: { factors, ticket },
  onSession,
}: {
  asked: FactorsAsked;
  onSession: (session: Session) => void | Promise<void>;
}) {
  const [chosen, setChosen] = useState<ProvingFactor>(order.find((one) => factors.includes(one)) ?? 'TOTP');
  const others = order.filter((one) => one !== chosen && factors.includes(one));
  return (
    <div className="flex flex-col gap-4">
      {chosen === 'PASSKEY' ? (
        <PasskeyButton of={{ ticket }} look="primary" onSession={onSession} />
      ) : (
        <CodeForm key={chosen} kind={chosen} ticket={ticket} onSession={onSession} />
      )}
      {others.length > 0 && (
        <div className="flex flex-col items-start gap-1">
          {others.map((one) => (
            <button
              key={one}
              type="button"
              className="min-h-6 text-start text-accent hover:underline"
              onClick={() => setChosen(one)}
            >
              {factorText(`step.${one}`)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function CodeForm({
  kind,
  ticket,
  onSession,
}: {
  kind: 'TOTP' | 'RECOVERY_CODE';
  ticket: string;
  onSession: (session: Session) => void | Promise<void>;
}) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const isCode = kind === 'TOTP';
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem('code') as HTMLInputElement;
    setState({ busy: true });
    try {
      const given = isCode ? { code: input.value } : { recoveryCode: input.value };
      await onSession(await callSession('POST', '/factor', { ticket, ...given }));
    } catch (error) {
      setState({ busy: false, error });
      input.select();
    }
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      {state.error !== undefined && <ErrorNotice error={state.error} />}
      <Field label={factorText(`code.${kind}`)} hint={factorText(`hint.${kind}`)}>
        {(control) => (
          <TextInput
            {...control}
            name="code"
            required
            autoFocus
            autoComplete={isCode ? 'one-time-code' : 'off'}
            inputMode={isCode ? 'numeric' : 'text'}
            maxLength={isCode ? 7 : 40}
            spellCheck={false}
            className="h-9! font-mono"
          />
        )}
      </Field>
      <Button type="submit" look="primary" busy={state.busy} className="h-9! w-full">
        {factorText('step.button')}
      </Button>
    </form>
  );
}

/** Proves the user by a passkey. @param of whose, see proveByPasskey. Nothing where the browser has no passkeys */
export function PasskeyButton({
  of,
  look = 'plain',
  onSession,
}: {
  of: { ticket?: string; again?: true };
  look?: ButtonLook;
  onSession: (session: Session) => void | Promise<void>;
}) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  if (!hasPasskeys()) return null;
  const prove = async () => {
    setState({ busy: true });
    try {
      await onSession(await proveByPasskey(of));
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <div className="flex flex-col gap-3">
      {state.error !== undefined && <PasskeyFault error={state.error} />}
      <Button icon="key" look={look} busy={state.busy} className="h-9! w-full" onClick={() => void prove()}>
        {factorText('passkey.use')}
      </Button>
    </div>
  );
}

/** Why no passkey was used or made. */
function PasskeyFault({ error }: { error: unknown }) {
  return isCancelled(error) ? (
    <Callout tone="warn">{factorText('passkey.cancelled')}</Callout>
  ) : (
    <ErrorNotice error={error} />
  );
}
