import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { reasonText } from '../messages/en/api-words.js';
import { campaignText } from '../messages/en/campaigns.js';
import { number } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Callout } from '../ui/states.js';

/** How many people get a campaign, and who matches and is left out, by reason. */
export function AudienceCount({
  campaignId,
  isSaving,
  isUnfinished,
}: {
  campaignId: string;
  isSaving: boolean;
  /** A filter lacks a value: nothing is counted. */
  isUnfinished: boolean;
}) {
  const { data, error, isFetching, refetch } = useQuery({
    ...queries.preview_send({ campaignId, examples: 3 }),
    refetchOnMount: 'always',
    enabled: !isUnfinished,
  });
  if (isUnfinished)
    return (
      <Callout tone="warn">
        <span role="status">{campaignText('audience.unfinished')}</span>
      </Callout>
    );
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const isCounting = isSaving || isFetching || !data;
  return (
    <section aria-live="polite" className="rounded-lg border border-line p-4">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <p className="text-2xl font-semibold tabular">{isCounting ? '…' : number(data.recipientCount)}</p>
      <p className="text-soft">
        {isCounting
          ? campaignText('audience.counting')
          : campaignText('audience.getsOnly', { count: data.recipientCount })}
        {!isCounting && data.destinations.total > 0 && (
          <> {campaignText('audience.destinations', { count: data.destinations.total })}</>
        )}
      </p>
      {data && <Excluded excluded={data.excluded} />}
    </section>
  );
}

function Excluded({
  excluded,
}: {
  excluded: readonly { reason: string; count: number; examples: readonly { email: string }[] }[];
}) {
  const left = excluded.filter(({ count }) => count > 0);
  const sum = left.reduce((total, { count }) => total + count, 0);
  if (sum === 0) return <p className="mt-3 text-sm text-soft">{campaignText('audience.leftOutNone')}</p>;
  return (
    <div className="mt-4 border-t border-line pt-3">
      <h2 className="font-medium tabular">{campaignText('audience.leftOut', { count: sum })}</h2>
      <ul className="mt-1 flex flex-col gap-2">
        {left.map(({ reason, count, examples }) => (
          <li key={reason}>
            <p className="flex justify-between gap-4">
              <span>{reasonText(reason)}</span>
              <span className="tabular">{number(count)}</span>
            </p>
            {examples.length > 0 && (
              <p className="text-sm text-soft wrap-anywhere">
                {campaignText('audience.examples', { emails: examples.map(({ email }) => email).join(', ') })}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
