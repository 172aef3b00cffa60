import { useId } from 'react';
import type { ReactNode } from 'react';
import { commonText } from '../messages/en/common.js';
import { Button } from '../ui/button.js';
import type { ButtonLook } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { ErrorNotice } from './error-notice.js';

/**
 * A form over the page: Enter in a field sends it, the refusal stands above its fields.
 * @param onSubmit closes the dialog itself; what it throws is the caller's `error`
 */
export function FormDialog({
  title,
  button,
  look = 'primary',
  busy,
  disabled = false,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  button: string;
  look?: ButtonLook;
  busy: boolean;
  disabled?: boolean;
  error?: unknown;
  onSubmit: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{commonText('cancel')}</Button>
          <Button look={look} type="submit" form={id} busy={busy} disabled={disabled}>
            {button}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && !disabled) void onSubmit().catch(() => undefined);
        }}
      >
        {error != null && <ErrorNotice error={error} />}
        {children}
      </form>
    </Dialog>
  );
}
