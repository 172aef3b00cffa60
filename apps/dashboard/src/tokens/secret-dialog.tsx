import { useState } from 'react';
import { dateTime } from '../messages/format.js';
import { tokenText } from '../messages/en/tokens.js';
import { CopiedValue } from '../parts/copied-value.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Callout } from '../ui/states.js';
import type { ShownSecret } from './token.js';

/** Shows a secret this once, with what to paste into a shell and into an MCP client. */
export function SecretDialog({ shown, onClose }: { shown: ShownSecret; onClose: () => void }) {
  const { secret, oldEndsAt } = shown;
  const [isAsking, setAsking] = useState(false);
  const url = location.origin;
  const curl = `curl -X POST ${url}/api/v2/tools/get_me \\\n  -H "Authorization: Bearer ${secret}" \\\n  -H 'Content-Type: application/json' -d '{}'`;
  const mcp = JSON.stringify(
    {
      mcpServers: { tidings: { type: 'http', url: `${url}/api/mcp`, headers: { Authorization: `Bearer ${secret}` } } },
    },
    null,
    2,
  );
  return (
    <Dialog
      title={tokenText('secret.title')}
      wide
      // What is shown once is lost only to a person who says so.
      onClose={() => setAsking(true)}
      footer={
        isAsking ? (
          <>
            <span role="alert" className="me-auto self-center">
              {tokenText('secret.ask')}
            </span>
            <Button onClick={onClose}>{tokenText('secret.lose')}</Button>
            <Button look="primary" autoFocus onClick={() => setAsking(false)}>
              {tokenText('secret.keep')}
            </Button>
          </>
        ) : (
          <Button look="primary" onClick={onClose}>
            {tokenText('secret.done')}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Callout tone="warn">
          <p>{tokenText('secret.lead')}</p>
          {oldEndsAt !== null && <p>{tokenText('secret.rotated', { at: dateTime(oldEndsAt) })}</p>}
        </Callout>
        <CopiedValue value={secret} what={tokenText('secret.what')} />
        <div>
          <h3 className="pb-1 text-sm font-medium">{tokenText('secret.curl')}</h3>
          <CopiedValue block value={curl} what={tokenText('secret.curl')} />
        </div>
        <div>
          <h3 className="pb-1 text-sm font-medium">{tokenText('secret.mcp')}</h3>
          <CopiedValue block value={mcp} what={tokenText('secret.mcp')} />
        </div>
      </div>
    </Dialog>
  );
}
