import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { refresh } from '../data/make-stale.js';
import { notify } from '../data/notices.js';
import { Refusal } from '../data/refusal.js';
import { currentSession } from '../data/session.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { approvalText } from '../messages/en/approvals.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { useGo } from '../parts/screen-link.js';
import { useLetter } from '../parts/use-letter.js';
import { Button } from '../ui/button.js';
import { TextInput } from '../ui/field.js';
import { Callout, Kbd } from '../ui/states.js';
import type { Approval } from './approval-state.js';
import { useStartNotice } from './use-start-notice.js';

/**
 * The decision about a call that waits: the page itself is the confirmation. It names the content that was seen; content
 * that changed meanwhile is shown first, and must be read before the button works again.
 */
export function ApprovalDecision({ approval }: { approval: Approval }) {
  const { id, contentHash, asker } = approval;
  const [seen, setSeen] = useState(contentHash);
  const [word, setWord] = useState('');
  const decide = useDecision(approval, word.trim());
  const approveRef = useRef<HTMLButtonElement>(null);
  const mayDecide = mayAct('approver');
  const isOwn = asker.kind === 'USER' && asker.id === currentSession()?.user.id;
  const hasChanged = seen !== contentHash;
  // Enter is the button's own.
  useLetter('a', () => approveRef.current?.focus());
  return (
    <div className="sticky bottom-0 -mx-1 border-t border-line bg-paper px-1 py-3">
      {decide.error && !decide.hasChanged && (
        <div className="pb-3">
          <ErrorNotice error={decide.error} />
        </div>
      )}
      {hasChanged && (
        <div className="pb-3">
          <Callout
            tone="warn"
            action={
              <Button small onClick={() => setSeen(contentHash)}>
                {approvalText('changed.action')}
              </Button>
            }
          >
            <span role="status">{approvalText('changed.title')}</span>
          </Callout>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {mayDecide ? (
          <>
            <TextInput
              aria-label={approvalText('word')}
              placeholder={approvalText('word')}
              value={word}
              maxLength={1000}
              onChange={({ target }) => setWord(target.value)}
              className="w-full! sm:w-auto! sm:flex-1"
            />
            <Button busy={decide.isPending} onClick={() => void decide.run(false, seen)}>
              {approvalText('reject')}
            </Button>
          </>
        ) : (
          <p className="flex-1 text-soft">{approvalText('noRole')}</p>
        )}
        {isOwn && (
          <Button busy={decide.isPending} onClick={() => void decide.withdraw(id)}>
            {approvalText('withdraw')}
          </Button>
        )}
        {mayDecide && (
          <Button
            ref={approveRef}
            look="primary"
            disabled={hasChanged}
            busy={decide.isPending}
            title={approvalText('key')}
            onClick={() => void decide.run(true, seen)}
          >
            {approvalText('approve')}
            <span aria-hidden="true" className="max-sm:hidden">
              <Kbd>{'a'}</Kbd>
            </span>
          </Button>
        )}
      </div>
    </div>
  );
}

/** Decides or withdraws; afterwards the decided call stays open under its own address. */
function useDecision({ id, tool }: Approval, note: string) {
  const client = useQueryClient();
  const go = useGo();
  const decide = useAction(actions.decide_approval());
  const withdraw = useAction(actions.withdraw_approval());
  const tellStart = useStartNotice();
  const reason = decide.error instanceof Refusal ? decide.error.reason : null;
  const stay = () => go({ screen: 'approval', params: { approvalId: id }, replace: true });
  return {
    error: decide.error ?? withdraw.error,
    hasChanged: reason === 'APPROVAL_CHANGED',
    isPending: decide.isPending || withdraw.isPending,
    run: async (approved: boolean, seen: string) => {
      const input = { approvalId: id, approved, ...(approved && { seen }), ...(note !== '' && { note }) };
      try {
        const { approval, result } = await decide.run(input);
        const hasFailed = approved && approval.state === 'FAILED';
        const isTold = approved && !hasFailed && tool === 'schedule_campaign' && tellStart(result);
        if (isTold) return stay();
        notify({
          kind: hasFailed ? 'failed' : 'done',
          text: approvalText(hasFailed ? 'doneFailed' : approved ? 'done' : 'rejected'),
        });
        stay();
      } catch {
        // The approval holds what is true now: new content, or another person's decision.
        await refresh(client, ['get_approval', 'list_approvals']);
      }
    },
    withdraw: async (approvalId: string) => {
      try {
        await withdraw.run({ approvalId });
        notify({ kind: 'done', text: approvalText('withdrawn') });
        stay();
      } catch {
        await refresh(client, ['get_approval', 'list_approvals']);
      }
    },
  };
}
