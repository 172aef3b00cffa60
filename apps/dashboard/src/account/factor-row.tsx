import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../data/notices.js';
import { callSession, readSession } from '../data/session.js';
import { dateTime } from '../messages/format.js';
import { commonText } from '../messages/en/common.js';
import { factorText } from '../messages/en/factors.js';
import { FormDialog } from '../parts/form-dialog.js';
import { NameDialog } from '../parts/name-dialog.js';
import { RowMenu } from '../parts/row-menu.js';
import { Icon } from '../ui/icon.js';
import { factorsKey } from './factor.js';
import type { Factor } from './factor.js';
import { withRecentSignIn } from './with-recent-sign-in.js';

/** One second factor, to rename or remove. @param isLast recovery codes end with it */
export function FactorRow({ factor, isLast }: { factor: Factor; isLast: boolean }) {
  const { id, kind, createdAt, lastUsedAt } = factor;
  const client = useQueryClient();
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null);
  const name = kind === 'TOTP' ? factorText('totp.named') : factor.name;
  const rename = async (next: string) => {
    await callSession('PATCH', `/factors/${id}`, { name: next });
    await client.invalidateQueries({ queryKey: factorsKey });
  };
  const items = [
    ...(kind === 'PASSKEY'
      ? [{ text: factorText('rename'), icon: 'settings' as const, onClick: () => setOpen('rename') }]
      : []),
    { text: factorText('remove'), icon: 'trash' as const, isDanger: true, onClick: () => setOpen('remove') },
  ];
  return (
    <li className="flex items-center gap-3 py-3">
      <Icon name={kind === 'TOTP' ? 'clock' : 'key'} className="shrink-0 text-soft" />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="text-sm text-soft">
          {[
            factorText('since', { at: dateTime(createdAt) }),
            lastUsedAt === null ? factorText('unused') : factorText('lastUsed', { at: dateTime(lastUsedAt) }),
          ].join(' · ')}
        </p>
      </div>
      <RowMenu label={factorText('actions', { name })} items={items} />
      {open === 'rename' && (
        <NameDialog
          title={factorText('rename')}
          label={factorText('name')}
          button={commonText('save')}
          start={name}
          onSave={rename}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'remove' && <RemoveDialog id={id} name={name} isLast={isLast} onClose={() => setOpen(null)} />}
    </li>
  );
}

function RemoveDialog({
  id,
  name,
  isLast,
  onClose,
}: {
  id: string;
  name: string;
  isLast: boolean;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const remove = async () => {
    setState({ busy: true });
    try {
      await withRecentSignIn(() => callSession('DELETE', `/factors/${id}`));
      notify({ kind: 'done', text: factorText('removed', { name }) });
      onClose();
      await Promise.all([readSession(), client.invalidateQueries({ queryKey: factorsKey })]);
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <FormDialog
      title={factorText('remove.title', { name })}
      button={factorText('remove')}
      look="danger"
      busy={state.busy}
      error={state.error}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{factorText(isLast ? 'remove.last' : 'remove.lead')}</p>
    </FormDialog>
  );
}
