import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { tokenText } from '../messages/en/tokens.js';
import { FormDialog } from '../parts/form-dialog.js';
import type { Token } from './token.js';

/** Revoking asks for no confirmation in the API, but nothing brings the token back: so the page asks. */
export function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useAction(actions.revoke_api_token());
  const submit = async () => {
    await revoke.run({ tokenId: token.id });
    notify({ kind: 'done', text: tokenText('revoke.done', { name: token.name }) });
    onClose();
  };
  return (
    <FormDialog
      title={tokenText('revoke.title', { name: token.name })}
      button={tokenText('revoke.button')}
      look="danger"
      busy={revoke.isPending}
      error={revoke.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{tokenText('revoke.lead')}</p>
    </FormDialog>
  );
}
