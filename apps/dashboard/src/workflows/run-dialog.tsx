import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../data/notices.js';
import { approvalOf } from '../data/refusal.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { outcomeText } from '../messages/en/api-words.js';
import { commonText } from '../messages/en/common.js';
import { runText } from '../messages/en/workflow-runs.js';
import { dateTime } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Button, buttonClass } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Skeleton } from '../ui/states.js';
import { RunBadge } from './run-words.js';
import type { ListedRun } from './run-words.js';

interface Props {
  run: ListedRun;
  /** Of the steps in the run's own version. */
  titleOf: (id: string) => string;
  onClose: () => void;
}

type Deed = 'fastForward' | 'remove';

/** One run: what happened in it, and what can be done with it. */
export function RunDialog({ run, titleOf, onClose }: Props) {
  const [asked, setAsked] = useState<Deed | null>(null);
  const { carryOut, isBusy, error } = useDeeds(run, onClose);
  const { subscriber, status, workflowId } = run;
  const email = subscriber?.email ?? runText('gone');
  const isOpen = status === 'ACTIVE' || status === 'WAITING';
  const mayEdit = mayAct('editor') && subscriber !== null;
  return (
    <Dialog
      title={runText('history.title', { email })}
      onClose={onClose}
      footer={
        asked ? (
          <>
            <Button onClick={() => setAsked(null)}>{commonText('cancel')}</Button>
            <Button
              look={asked === 'remove' ? 'danger' : 'primary'}
              busy={isBusy}
              data-autofocus=""
              onClick={() => void carryOut(asked)}
            >
              {runText(asked)}
            </Button>
          </>
        ) : (
          <>
            {mayEdit && isOpen && <Button onClick={() => setAsked('remove')}>{runText('remove')}</Button>}
            {mayEdit && status === 'WAITING' && (
              <Button onClick={() => setAsked('fastForward')}>{runText('fastForward')}</Button>
            )}
            <Button look="primary" onClick={onClose}>
              {commonText('close')}
            </Button>
          </>
        )
      }
    >
      {error !== null && !approvalOf(error) && <ErrorNotice error={error} />}
      {asked ? (
        <p>{runText(`${asked}.lead`)}</p>
      ) : (
        <>
          <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-soft">
            <RunBadge status={status} />
            {runText('version')} {run.version}
            {subscriber && (
              <ScreenLink
                screen="subscriber"
                params={{ subscriberId: subscriber.id }}
                className={buttonClass('quiet', true)}
              >
                {runText('open')}
              </ScreenLink>
            )}
          </p>
          {run.reason !== null && <p className="mb-3 wrap-anywhere">{run.reason}</p>}
          <RunHistory
            subscriberId={run.subscriberId}
            workflowId={workflowId}
            id={run.workflowSubscriberId}
            titleOf={titleOf}
          />
        </>
      )}
    </Dialog>
  );
}

/** Ends a wait, or the runs of the subscriber; `error` is the last refusal. */
function useDeeds({ workflowId, workflowSubscriberId, subscriber }: ListedRun, onClose: () => void) {
  const forward = useAction(actions.fast_forward_workflow_subscriber());
  const remove = useAction(actions.remove_subscriber_from_workflow());
  const [error, setError] = useState<unknown>(null);
  const carryOut = async (deed: Deed) => {
    const { id: subscriberId, email } = subscriber!;
    setError(null);
    try {
      if (deed === 'remove') await remove.run({ workflowId, subscriberId });
      else await forward.run({ workflowId, workflowSubscriberId });
      notify({ kind: 'done', text: runText(`${deed}.done`, { email }) });
      onClose();
    } catch (refusal) {
      if (approvalOf(refusal)) onClose();
      else setError(refusal);
    }
  };
  return { carryOut, isBusy: forward.isPending || remove.isPending, error };
}

function RunHistory({
  subscriberId,
  workflowId,
  id,
  titleOf,
}: {
  subscriberId: string;
  workflowId: string;
  id: string;
  titleOf: (id: string) => string;
}) {
  const { data, error, refetch } = useQuery(queries.get_subscriber_workflow_runs({ subscriberId, workflowId }));
  if (!data)
    return error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-40" />;
  const history = data.runs.find((run) => run.workflowSubscriberId === id)?.history ?? [];
  if (history.length === 0) return <p className="text-soft">{runText('history.empty')}</p>;
  return (
    <ol aria-label={runText('history')} className="flex flex-col gap-2 border-s border-line ps-3">
      {history.map(({ stepId, at, outcome }, place) => (
        <li key={place} className="min-w-0">
          <span className="block truncate font-medium" dir="auto">
            {titleOf(stepId)}
          </span>
          <span className="block text-sm text-soft tabular">
            {outcomeText(outcome)} · {dateTime(at)}
          </span>
        </li>
      ))}
    </ol>
  );
}
