import { useState } from 'react';
import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { importText } from '../messages/en/imports.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { stopUpload } from './uploads.js';

/** Cancels an import once the person has said so. */
export function CancelImport({ importId }: { importId: string }) {
  const [isAsking, setAsking] = useState(false);
  const cancel = useAction(actions.cancel_subscriber_import());
  const end = async () => {
    stopUpload(importId);
    await cancel.run({ importId });
    setAsking(false);
    notify({ kind: 'done', text: importText('cancel.done') });
  };
  return (
    <>
      <Button icon="close" onClick={() => setAsking(true)}>
        <span className="max-sm:sr-only">{importText('cancel')}</span>
      </Button>
      {isAsking && (
        <Dialog
          title={importText('cancel.title')}
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>{importText('cancel.keep')}</Button>
              <Button
                look="danger"
                data-autofocus=""
                busy={cancel.isPending}
                onClick={() => void end().catch(() => undefined)}
              >
                {importText('cancel')}
              </Button>
            </>
          }
        >
          <p>{importText('cancel.lead')}</p>
          {cancel.error && (
            <div className="pt-3">
              <ErrorNotice error={cancel.error} />
            </div>
          )}
        </Dialog>
      )}
    </>
  );
}
