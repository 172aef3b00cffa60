import { useQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { commonText } from '../messages/en/common.js';
import { installationText } from '../messages/en/installation.js';
import { dateTime, number } from '../messages/format.js';
import { CopiedValue } from '../parts/copied-value.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Skeleton } from '../ui/states.js';

export type DeadLetter = ToolData<'list_dead_letters'>['deadLetters'][number];

/** One dead letter with its error in full and the payload of its event. */
export function DeadLetterDialog({
  letter,
  onRetry,
  onDiscard,
  onClose,
}: {
  letter: DeadLetter;
  onRetry: () => void;
  onDiscard: () => void;
  onClose: () => void;
}) {
  const { id, event, service, error, attempts, failedAt } = letter;
  const found = useQuery(queries.get_dead_letter({ id }));
  const facts = [
    { label: installationText('service'), value: service },
    { label: installationText('failedAt'), value: dateTime(failedAt) },
    { label: installationText('attempts'), value: number(attempts) },
    { label: installationText('error'), value: error },
  ];
  return (
    <Dialog
      title={event}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{commonText('close')}</Button>
          <Button onClick={onDiscard}>{installationText('discard.chosen')}</Button>
          <Button look="primary" onClick={onRetry}>
            {installationText('retry.chosen')}
          </Button>
        </>
      }
    >
      <dl className="mb-4 grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1">
        {facts.map(({ label, value }) => (
          <div key={label} className="contents">
            <dt className="text-soft">{label}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <h3 className="mb-1.5 text-sm font-medium">{installationText('payload')}</h3>
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton className="h-24" />}
      {found.data && (
        <CopiedValue
          block
          what={installationText('payload')}
          value={JSON.stringify(found.data.deadLetter.payload, null, 2)}
        />
      )}
    </Dialog>
  );
}
