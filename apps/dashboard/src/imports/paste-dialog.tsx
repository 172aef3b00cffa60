import { useState } from 'react';
import { importText } from '../messages/en/imports.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Field, TextArea } from '../ui/field.js';

/** Rows as text, which take the way of a file. */
export function PasteDialog({
  busy,
  error,
  onFile,
  onClose,
}: {
  busy: boolean;
  error: unknown;
  onFile: (file: File) => Promise<void>;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  return (
    <FormDialog
      title={importText('paste.title')}
      button={importText('paste.button')}
      busy={busy}
      disabled={text.trim() === ''}
      error={error}
      onSubmit={() => onFile(new File([text], importText('paste.name'), { type: 'text/csv' }))}
      onClose={onClose}
    >
      <Field label={importText('paste.label')} hint={importText('paste.hint')}>
        {(control) => (
          <TextArea
            {...control}
            data-autofocus=""
            rows={10}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="font-mono text-xs"
          />
        )}
      </Field>
    </FormDialog>
  );
}
