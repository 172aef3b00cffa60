import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { commonText } from '../messages/en/common.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Button, buttonClass, Spinner } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icon.js';
import { Callout } from '../ui/states.js';

const pollMs = 1_000;

/**
 * Follows an export until its file can be downloaded. Closing it ends nothing.
 * @param isOne the export holds the data of one person, so that its rows are not counted
 */
export function ExportDialog({
  exportId,
  title,
  isOne = false,
  onClose,
}: {
  exportId: string;
  title: string;
  isOne?: boolean;
  onClose: () => void;
}) {
  const { data, error, refetch } = useQuery({
    ...queries.get_subscriber_export({ exportId }),
    refetchInterval: ({ state }) => (state.data && ['DONE', 'FAILED'].includes(state.data.status) ? false : pollMs),
  });
  const isDone = data?.status === 'DONE';
  const rows = data?.rows ?? 0;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{commonText('close')}</Button>
          {data?.downloadUrl !== undefined && (
            <a href={data.downloadUrl} download className={buttonClass('primary')}>
              <Icon name="download" />
              {subscriberText('export.download')}
            </a>
          )}
        </>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.status === 'FAILED' && <Callout tone="bad">{data.failure ?? subscriberText('exports.FAILED')}</Callout>}
      {data?.status !== 'FAILED' && (data || !error) && (
        <p className="flex items-center gap-2" aria-live="polite">
          {!isDone && <Spinner />}
          {isDone
            ? isOne
              ? subscriberText('export.dataDone')
              : subscriberText('export.done', { count: rows })
            : subscriberText('export.running', { count: rows })}
        </p>
      )}
      <p className="mt-2 text-sm text-soft">
        {subscriberText('export.kept')}{' '}
        <ScreenLink screen="subscriberExports" className="underline underline-offset-2" onClick={onClose}>
          {subscriberText('exports')}
        </ScreenLink>
      </p>
    </Dialog>
  );
}
