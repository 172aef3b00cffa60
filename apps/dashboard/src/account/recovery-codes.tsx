import { useState } from 'react';
import { currentSession } from '../data/session.js';
import { factorText } from '../messages/en/factors.js';
import { copyText } from '../parts/copy-text.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Callout } from '../ui/states.js';

/** Shows recovery codes this once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const text = `${codes.join('\n')}\n`;
  return (
    <Dialog
      title={factorText('codes.title')}
      // What is shown once is lost only to a person who says so.
      onClose={() => setAsking(true)}
      footer={
        isAsking ? (
          <>
            <span role="alert" className="me-auto self-center">
              {factorText('codes.ask')}
            </span>
            <Button onClick={onClose}>{factorText('codes.lose')}</Button>
            <Button look="primary" autoFocus onClick={() => setAsking(false)}>
              {factorText('codes.keep')}
            </Button>
          </>
        ) : (
          <Button look="primary" onClick={onClose}>
            {factorText('codes.done')}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Callout tone="warn">{factorText('codes.lead')}</Callout>
        <ul className="flex flex-col gap-1 font-mono text-sm" aria-label={factorText('codes.title')}>
          {codes.map((code) => (
            <li key={code} className="wrap-anywhere select-all">
              {code}
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button icon="copy" onClick={() => void copyText(text)}>
            {factorText('codes.copy')}
          </Button>
          <Button icon="download" onClick={() => save(text)}>
            {factorText('codes.download')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function save(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `tidings-recovery-codes-${currentSession()?.user.email ?? ''}.txt`;
  link.click();
  URL.revokeObjectURL(url);
}
