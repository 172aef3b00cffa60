import { useState } from 'react';
import { notify } from '../data/notices.js';
import { Refusal } from '../data/refusal.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { personText } from '../messages/en/subscriber.js';
import { mayAct } from '../parts/own-role.js';
import { useGo } from '../parts/screen-link.js';
import { Button, buttonClass } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon.js';
import { menuItemClass, Popover } from '../ui/popover.js';
import { classNames } from '../ui/class-names.js';
import { ExportDialog } from './export-dialog.js';
import type { Details } from './subscriber-details.js';

/** What can be done with one person, by what their state and the user's role allow. */
export function SubscriberActions({ details }: { details: Details }) {
  const { status, email } = details.subscriber;
  const commands = useSubscriberActions(details);
  const isBanned = details.suppressions.some(({ suppression }) => suppression === 'BANNED');
  const canReactivate = ['UNSUBSCRIBED', 'BOUNCED', 'COMPLAINED'].includes(status);
  if (!mayAct('editor')) return null;
  return (
    <>
      {canReactivate && (
        <Button busy={commands.isReactivating} onClick={commands.askToReactivate}>
          {personText('reactivate')}
        </Button>
      )}
      {!canReactivate && !isBanned && (
        <Button onClick={() => void commands.unsubscribe()}>{personText('unsubscribe')}</Button>
      )}
      <Popover
        align="end"
        label={personText('more')}
        buttonClassName={classNames(buttonClass('plain'), 'w-8 px-0!')}
        button={<Icon name="more" />}
      >
        {(close) => (
          <>
            <MenuItem icon="download" text={personText('exportData')} close={close} onClick={commands.exportData} />
            {mayAct('admin') && (
              <MenuItem
                icon={isBanned ? 'undo' : 'warning'}
                text={personText(isBanned ? 'unban' : 'ban')}
                close={close}
                onClick={() => commands.setBan(!isBanned)}
              />
            )}
            <MenuItem isDanger icon="trash" text={personText('delete')} close={close} onClick={commands.remove} />
          </>
        )}
      </Popover>
      {commands.exportId !== null && (
        <ExportDialog
          exportId={commands.exportId}
          title={personText('exportData')}
          isOne
          onClose={commands.closeExport}
        />
      )}
      {commands.question && (
        <ReactivateDialog
          email={email}
          question={commands.question}
          onClose={commands.keepAsIs}
          onReactivate={commands.reactivate}
        />
      )}
    </>
  );
}

/** What must hold before mail goes to a person again: their consent, and an address that takes mail. */
type ReactivateQuestion = 'consent' | 'hardBounced';

function ReactivateDialog({
  email,
  question,
  onClose,
  onReactivate,
}: {
  email: string;
  question: ReactivateQuestion;
  onClose: () => void;
  onReactivate: (force: boolean) => Promise<void>;
}) {
  const isForced = question === 'hardBounced';
  return (
    <Dialog
      key={question}
      title={personText('reactivate')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{commonText('cancel')}</Button>
          <Button look={isForced ? 'danger' : 'primary'} onClick={() => void onReactivate(isForced)}>
            {personText(isForced ? 'reactivateAnyway' : 'reactivate')}
          </Button>
        </>
      }
    >
      <p className="wrap-anywhere">{email}</p>
      <p className="mt-2 text-pretty">{personText(isForced ? 'hardBounced' : 'reactivateConsent')}</p>
    </Dialog>
  );
}

function MenuItem({
  icon,
  text,
  isDanger = false,
  close,
  onClick,
}: {
  icon: IconName;
  text: string;
  isDanger?: boolean;
  close: () => void;
  onClick: () => Promise<void>;
}) {
  return (
    <button
      type="button"
      className={classNames(menuItemClass, isDanger && 'text-bad')}
      onClick={() => {
        close();
        void onClick();
      }}
    >
      <Icon name={icon} />
      {text}
    </button>
  );
}

/** The actions with their three grades: undone by a notice, confirmed, or confirmed by typing the address. */
function useSubscriberActions({ subscriber }: Details) {
  const { id: subscriberId, email, status } = subscriber;
  const go = useGo();
  const [exportId, setExportId] = useState<string | null>(null);
  const [question, setQuestion] = useState<ReactivateQuestion | null>(null);
  const unsubscribe = useAction(actions.unsubscribe());
  const reactivate = useAction(actions.reactivate_subscriber());
  const ban = useAction(actions.set_subscriber_ban());
  const remove = useAction(actions.delete_subscriber());
  const exportData = useAction(actions.export_subscriber_data());
  const done = (text: 'unsubscribed' | 'reactivated' | 'banned' | 'unbanned' | 'deleted', undo?: () => Promise<void>) =>
    notify({ kind: 'done', text: personText(text, { email }), ...(undo && { undo }) });
  const back = {
    unsubscribe: async () => void (await unsubscribe.run({ subscriberId })),
    reactivate: async () => void (await reactivate.run({ subscriberId })),
  };
  return {
    exportId,
    question,
    isReactivating: reactivate.isPending,
    closeExport: () => setExportId(null),
    askToReactivate: () => setQuestion('consent'),
    keepAsIs: () => setQuestion(null),
    unsubscribe: () =>
      attempt(async () => {
        await unsubscribe.run({ subscriberId });
        // Only what was subscribed before becomes so again.
        done('unsubscribed', status === 'SUBSCRIBED' ? back.reactivate : undefined);
      }),
    reactivate: (force = false) =>
      attempt(
        async () => {
          setQuestion(null);
          await reactivate.run({ subscriberId, ...(force && { force }) });
          done('reactivated', status === 'UNSUBSCRIBED' ? back.unsubscribe : undefined);
        },
        (refusal) => {
          if (refusal.reason !== 'SUBSCRIBER_HARD_BOUNCED') return false;
          setQuestion('hardBounced');
          return true;
        },
      ),
    setBan: (banned: boolean) =>
      attempt(async () => {
        await ban.run({ email, banned });
        done(banned ? 'banned' : 'unbanned', async () => void (await ban.run({ email, banned: !banned })));
      }),
    exportData: () =>
      attempt(async () => {
        const started = await exportData.run({ subscriberId });
        setExportId(started.exportId);
      }),
    remove: () =>
      attempt(async () => {
        await remove.run({ subscriberId }, { button: personText('delete'), typed: email });
        go({ screen: 'subscribers', replace: true });
        done('deleted');
      }),
  };
}

/** Carries an action out; a refusal becomes a notice unless `handle` takes it. */
async function attempt(work: () => Promise<void>, handle?: (refusal: Refusal) => boolean): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal && handle?.(error))) reportFailure(error);
  }
}
