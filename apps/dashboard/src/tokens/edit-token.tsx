import { useState } from 'react';
import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { tokenText } from '../messages/en/tokens.js';
import { FormDialog } from '../parts/form-dialog.js';
import { NameField } from '../parts/name-field.js';
import { ScopeChoice, ToolsetChoice } from './token-fields.js';
import { toolsets as allToolsets } from './token.js';
import type { Token, TokenScope, Toolset } from './token.js';

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));

/** Renames a token, or takes rights or groups of tools from it. */
export function EditToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const update = useAction(actions.update_api_token());
  const bound = (token.toolsets ?? []) as Toolset[];
  const [name, setName] = useState(token.name);
  const [scopes, setScopes] = useState<TokenScope[]>(token.scopes);
  const [toolsets, setToolsets] = useState<Toolset[]>(bound);
  const change = {
    ...(name.trim() !== token.name && { name }),
    ...(!isSame(scopes, token.scopes) && { scopes }),
    ...(!isSame(toolsets, bound) && toolsets.length > 0 && { toolsets }),
  };
  const submit = async () => {
    await update.run({ tokenId: token.id, ...change });
    notify({ kind: 'done', text: tokenText('edit.saved') });
    onClose();
  };
  return (
    <FormDialog
      title={tokenText('edit.title', { name: token.name })}
      button={commonText('save')}
      busy={update.isPending}
      disabled={name.trim() === '' || scopes.length === 0 || Object.keys(change).length === 0}
      error={update.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{tokenText('edit.lead')}</p>
      <NameField label={tokenText('name')} value={name} onChange={setName} />
      <ScopeChoice offered={token.scopes} chosen={scopes} onChange={setScopes} />
      <ToolsetChoice offered={bound.length > 0 ? bound : allToolsets} chosen={toolsets} onChange={setToolsets} />
    </FormDialog>
  );
}
