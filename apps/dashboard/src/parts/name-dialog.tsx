import { useState } from 'react';
import { approvalOf, isDeclined, issuesByField } from '../data/refusal.js';
import { FormDialog } from './form-dialog.js';
import { NameField } from './name-field.js';

/** Asks for one name, to create or rename a record. @param onSave rejects with the refusal */
export function NameDialog({
  title,
  label,
  hint,
  button,
  start = '',
  onSave,
  onClose,
}: {
  title: string;
  label: string;
  hint?: string;
  button: string;
  start?: string;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
}) {
  const [name, setName] = useState(start);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const fault = issuesByField(state.error, ['name']).byField.name;
  const submit = async () => {
    setState({ busy: true });
    try {
      await onSave(name.trim());
      onClose();
    } catch (error) {
      if (isDeclined(error) || approvalOf(error)) return onClose();
      setState({ busy: false, error });
    }
  };
  return (
    <FormDialog
      title={title}
      button={button}
      busy={state.busy}
      disabled={name.trim() === ''}
      error={fault === undefined ? state.error : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameField label={label} hint={hint} fault={fault} value={name} onChange={setName} />
    </FormDialog>
  );
}
