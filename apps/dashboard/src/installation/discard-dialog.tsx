import { useState } from 'react';
import { notify } from '../data/notices.js';
import { isDeclined } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { installationText } from '../messages/en/installation.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Field, TextInput } from '../ui/field.js';

/** Takes the reason for which dead letters are never applied; the API then asks for a confirmation. */
export function DiscardDialog({ ids, onDone, onClose }: { ids: string[]; onDone: () => void; onClose: () => void }) {
  const discard = useAction(actions.discard_dead_letters());
  const [reason, setReason] = useState('');
  const button = installationText('discard.button', { count: ids.length });
  const apply = async () => {
    const { discarded } = await discard.run({ ids, reason: reason.trim() }, { button });
    notify({ kind: 'done', text: installationText('discard.done', { count: discarded }) });
    onDone();
  };
  return (
    <FormDialog
      title={installationText('discard.title')}
      button={button}
      look="danger"
      busy={discard.isPending}
      disabled={reason.trim() === ''}
      error={isDeclined(discard.error) ? null : discard.error}
      onSubmit={apply}
      onClose={onClose}
    >
      <p className="text-pretty">{installationText('discard.lead', { count: ids.length })}</p>
      <Field label={installationText('discard.reason')}>
        {(control) => (
          <TextInput
            {...control}
            data-autofocus=""
            maxLength={255}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
