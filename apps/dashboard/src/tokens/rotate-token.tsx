import { useState } from 'react';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { tokenText } from '../messages/en/tokens.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Choice, Field } from '../ui/field.js';
import type { ShownSecret, Token } from './token.js';

const overlaps = ['0', '1', '24', '168'] as const;

/** Replaces the secret of a token. */
export function RotateToken({
  token,
  onClose,
  onSecret,
}: {
  token: Token;
  onClose: () => void;
  onSecret: (shown: ShownSecret) => void;
}) {
  const rotate = useAction(actions.rotate_api_token());
  const [hours, setHours] = useState<string>('24');
  const submit = async () => {
    const { secret, oldEndsAt } = await rotate.run({ tokenId: token.id, overlapHours: Number(hours) });
    onSecret({ name: token.name, secret, oldEndsAt });
  };
  return (
    <FormDialog
      title={tokenText('rotate.title', { name: token.name })}
      button={tokenText('rotate.button')}
      busy={rotate.isPending}
      error={rotate.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{tokenText('rotate.lead')}</p>
      <Field label={tokenText('rotate.overlap')}>
        {(control) => (
          <Choice
            {...control}
            value={hours}
            onChange={({ target }) => setHours(target.value)}
            options={overlaps.map((value) => ({ value, label: tokenText(`rotate.${value}`) }))}
          />
        )}
      </Field>
    </FormDialog>
  );
}
