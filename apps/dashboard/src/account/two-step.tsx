import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../data/notices.js';
import { hasPasskeys, isCancelled, makePasskey } from '../data/passkeys.js';
import { reportFailure } from '../data/report-failure.js';
import { callSession, readSession } from '../data/session.js';
import { commonText } from '../messages/en/common.js';
import { factorText } from '../messages/en/factors.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { NameDialog } from '../parts/name-dialog.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { Callout, Skeleton } from '../ui/states.js';
import { browserName } from './browser-name.js';
import { FactorRow } from './factor-row.js';
import { factorsKey } from './factor.js';
import type { AddedFactor, ListedFactors } from './factor.js';
import { RecoveryCodes } from './recovery-codes.js';
import { TotpDialog } from './totp-dialog.js';
import { withRecentSignIn } from './with-recent-sign-in.js';

type Open =
  | { what: 'totp'; uri: string; secret: string }
  | { what: 'passkey'; passkey: object }
  | { what: 'codes'; codes: readonly string[] };

/** Long names of factors take two lines on a phone. */
const wrapping = 'h-auto! min-h-8 max-w-full whitespace-normal! text-start';

/** The second factors of the user: an authenticator app, passkeys and recovery codes. */
export function TwoStep() {
  const { data, error, refetch } = useQuery({
    queryKey: factorsKey,
    queryFn: () => callSession<ListedFactors>('GET', '/factors'),
  });
  const { open, setOpen, busy, commands, added } = useTwoStep();
  const { factors = [], recoveryCodes = { left: 0, total: 0 } } = data ?? {};
  const hasTotp = factors.some(({ kind }) => kind === 'TOTP');
  return (
    <Section title={factorText('title')} lead={factorText('lead')}>
      {error && <ErrorNotice error={error} isStale={data !== undefined} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {data && (
        <div className="flex flex-col gap-4">
          <ul className="divide-y divide-line border-y border-line empty:hidden">
            {factors.map((factor) => (
              <FactorRow key={factor.id} factor={factor} isLast={factors.length === 1} />
            ))}
          </ul>
          <div className="flex flex-wrap gap-2">
            {hasPasskeys() && (
              <Button icon="key" disabled={busy} className={wrapping} onClick={() => void commands.addPasskey()}>
                {factorText('passkey.add')}
              </Button>
            )}
            {!hasTotp && (
              <Button icon="clock" disabled={busy} className={wrapping} onClick={() => void commands.addTotp()}>
                {factorText('totp.add')}
              </Button>
            )}
          </div>
          {factors.length > 0 && (
            <CodesLeft {...recoveryCodes} busy={busy} onRenew={() => void commands.renewCodes()} />
          )}
        </div>
      )}
      {open?.what === 'totp' && (
        <TotpDialog {...open} onAdded={(one) => void added(one)} onClose={() => setOpen(null)} />
      )}
      {open?.what === 'passkey' && (
        <NameDialog
          title={factorText('passkey.name')}
          label={factorText('name')}
          button={commonText('save')}
          start={browserName(navigator.userAgent)}
          onSave={(name) => commands.registerPasskey(open.passkey, name)}
          onClose={() => setOpen((now) => (now === open ? null : now))}
        />
      )}
      {open?.what === 'codes' && <RecoveryCodes codes={open.codes} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function CodesLeft({
  left,
  total,
  busy,
  onRenew,
}: {
  left: number;
  total: number;
  busy: boolean;
  onRenew: () => void;
}) {
  return (
    <Callout
      tone={left <= 2 ? 'warn' : 'plain'}
      action={
        <Button small disabled={busy} onClick={onRenew}>
          {factorText('codes.renew')}
        </Button>
      }
    >
      {factorText('codes.left', { count: left, total })}
    </Callout>
  );
}

function useTwoStep() {
  const client = useQueryClient();
  const [open, setOpen] = useState<Open | null>(null);
  const [busy, setBusy] = useState(false);
  /** Runs what a button begins; a closed dialog of the browser needs no word. */
  const begin = async (work: () => Promise<Open>) => {
    setBusy(true);
    try {
      setOpen(await withRecentSignIn(work));
    } catch (error) {
      reportFailure(isCancelled(error) ? new Error(factorText('passkey.cancelled')) : error);
    }
    setBusy(false);
  };
  const added = async ({ factor, recoveryCodes }: AddedFactor) => {
    setOpen(recoveryCodes ? { what: 'codes', codes: recoveryCodes } : null);
    notify({ kind: 'done', text: factorText('added', { name: nameOf(factor) }) });
    await Promise.all([readSession(), client.invalidateQueries({ queryKey: factorsKey })]);
  };
  const commands = {
    addTotp: () =>
      begin(async () => ({
        what: 'totp',
        ...(await callSession<{ uri: string; secret: string }>('POST', '/factors/totp', {})),
      })),
    addPasskey: () => begin(async () => ({ what: 'passkey', passkey: await makePasskey() })),
    registerPasskey: async (passkey: object, name: string) =>
      added(await callSession<AddedFactor>('POST', '/factors/passkey', { name, passkey })),
    renewCodes: () =>
      begin(async () => {
        const { recoveryCodes } = await callSession<{ recoveryCodes: string[] }>('POST', '/factors/recovery-codes', {});
        await client.invalidateQueries({ queryKey: factorsKey });
        return { what: 'codes', codes: recoveryCodes };
      }),
  };
  return { open, setOpen, busy, commands, added };
}

const nameOf = ({ kind, name }: AddedFactor['factor']): string => (kind === 'TOTP' ? factorText('totp.named') : name);
