import { useState } from 'react';
import { issuesByField } from '../data/refusal.js';
import { currentMembership } from '../data/session.js';
import type { Role } from '../data/session.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { tokenText } from '../messages/en/tokens.js';
import { FormDialog } from '../parts/form-dialog.js';
import { NameField } from '../parts/name-field.js';
import { isAtLeast } from '../parts/screen.js';
import { Check, Choice, Field } from '../ui/field.js';
import { ScopeChoice, ToolsetChoice } from './token-fields.js';
import { grantableScopes, toolsets as allToolsets } from './token.js';
import type { ShownSecret, TokenScope, Toolset } from './token.js';

const lives = ['30', '90', '366', 'never'] as const;
type Life = (typeof lives)[number];
const dayMs = 86_400_000;

/** A year must still be one when the call arrives. */
const endOf = (life: Life): string | null =>
  life === 'never' ? null : new Date(Date.now() + Number(life) * dayMs - 60_000).toISOString();

/** What a role may grant; only owners grant `admin`. */
const offeredScopes = (role: Role): readonly TokenScope[] =>
  grantableScopes.filter((scope) => isAtLeast(role, lowestRole[scope]));
const lowestRole: Record<(typeof grantableScopes)[number], Role> = {
  read: 'viewer',
  write: 'editor',
  test: 'editor',
  send: 'approver',
  admin: 'owner',
};

/** Makes a token; its secret goes to `onSecret`. */
export function CreateToken({ onClose, onSecret }: { onClose: () => void; onSecret: (shown: ShownSecret) => void }) {
  const create = useAction(actions.create_api_token());
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<TokenScope[]>(['read']);
  const [toolsets, setToolsets] = useState<Toolset[]>([]);
  const [selfConfirm, setSelfConfirm] = useState(true);
  const [isPersonal, setPersonal] = useState(false);
  const [life, setLife] = useState<Life>('90');
  const role = currentMembership()?.role ?? 'viewer';
  const isAdmin = isAtLeast(role, 'admin');
  const { byField } = issuesByField(create.error, ['name']);
  const submit = async () => {
    const made = await create.run({
      name,
      scopes,
      selfConfirm,
      kind: isPersonal || !isAdmin ? 'PERSONAL' : 'ORGANIZATION',
      ...(life !== '90' && { expiresAt: endOf(life) }),
      ...(toolsets.length > 0 && { toolsets }),
    });
    onSecret({ name: made.token.name, secret: made.secret, oldEndsAt: null });
  };
  return (
    <FormDialog
      title={tokenText('create.title')}
      button={tokenText('create.button')}
      busy={create.isPending}
      disabled={name.trim() === '' || scopes.length === 0}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameField
        label={tokenText('name')}
        hint={tokenText('nameHint')}
        fault={byField.name}
        value={name}
        onChange={setName}
      />
      <ScopeChoice offered={offeredScopes(role)} chosen={scopes} onChange={setScopes} />
      <div className="flex flex-col">
        <Check
          label={tokenText('selfConfirm')}
          hint={tokenText('selfConfirmHint')}
          checked={selfConfirm}
          onChange={({ target }) => setSelfConfirm(target.checked)}
        />
        {isAdmin ? (
          <Check
            label={tokenText('personal')}
            hint={tokenText('personalHint')}
            checked={isPersonal}
            onChange={({ target }) => setPersonal(target.checked)}
          />
        ) : (
          <p className="text-sm text-soft">{tokenText('personalOnly')}</p>
        )}
      </div>
      <Field label={tokenText('life')}>
        {(control) => (
          <Choice
            {...control}
            value={life}
            onChange={({ target }) => setLife(target.value as Life)}
            options={lives.map((value) => ({ value, label: tokenText(`life.${value}`) }))}
          />
        )}
      </Field>
      <ToolsetChoice offered={allToolsets} chosen={toolsets} onChange={setToolsets} />
    </FormDialog>
  );
}
