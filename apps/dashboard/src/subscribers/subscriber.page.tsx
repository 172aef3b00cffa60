import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { date } from '../messages/format.js';
import { personText } from '../messages/en/subscriber.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { CopyAs } from '../parts/copy-as.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { Badge, Callout, Skeleton } from '../ui/states.js';
import { ProfileFields } from './profile-fields.js';
import { SubscriberActions } from './subscriber-actions.js';
import type { Details } from './subscriber-details.js';
import { StatusBadge } from './subscriber-status.js';
import { SubscriberTags } from './subscriber-tags.js';
import { timelineTabs } from './timeline.js';
import { TimelineList } from './timeline-list.js';

/** What of this screen stands in the address. */
const searchPart = z.object({ tab: z.optional(z.enum(timelineTabs)) });

/** One person: why mail does or does not reach them, who they are, and all that happened. */
export function SubscriberPage() {
  const { subscriberId = '' }: { subscriberId?: string } = useParams({ strict: false });
  const [{ tab = 'all' }, setSearch] = useScreenSearch(searchPart);
  const { data, error, refetch } = useQuery(queries.get_subscriber_details({ subscriberId }));
  const shown = data?.subscriber.id === subscriberId ? data : undefined;
  return (
    <Page
      key={subscriberId}
      title={shown?.subscriber.email ?? personText('title')}
      heading={shown ? (shown.subscriber.name ?? shown.subscriber.email) : personText('title')}
      lead={
        shown && (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="wrap-anywhere">{shown.subscriber.name !== null && shown.subscriber.email}</span>
            <StatusBadge status={shown.subscriber.status} />
          </span>
        )
      }
      actions={
        shown && (
          <>
            <SubscriberActions details={shown} />
            <CopyAs tool="get_subscriber_details" input={{ subscriberId }} />
          </>
        )
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!shown && !error && <Skeleton className="h-40" />}
      {shown && (
        <div className="flex flex-col gap-x-10 gap-y-6 lg:flex-row lg:items-start">
          <aside className="flex flex-col gap-6 lg:order-2 lg:w-80 lg:shrink-0" aria-label={personText('profile')}>
            <Reach details={shown} />
            <Counters details={shown} />
            <SubscriberTags subscriber={shown.subscriber} />
            <ProfileFields details={shown} />
          </aside>
          <div className="min-w-0 flex-1 lg:order-1">
            <TimelineList
              subscriberId={subscriberId}
              tab={tab}
              onTab={(next) => setSearch({ tab: next === 'all' ? undefined : next }, { replace: true })}
            />
          </div>
        </div>
      )}
    </Page>
  );
}

/** Which mail reaches the person, and in words why other mail does not. */
function Reach({ details: { mailable, subscriber, suppressions } }: { details: Details }) {
  const reach = mailable.marketing ? 'both' : mailable.transactional ? 'transactional' : 'none';
  return (
    <Callout tone={reach === 'both' ? 'good' : reach === 'none' ? 'bad' : 'warn'}>
      <p className="font-medium">{personText(`reach.${reach}`)}</p>
      {reach !== 'both' && <p>{personText(`why.${subscriber.status}`)}</p>}
      {suppressions.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-1 text-sm">
          {suppressions.map(({ suppression, since, reason }) => (
            <li key={suppression} className="flex flex-wrap items-baseline gap-x-1.5">
              <Badge tone="bad">{personText(`suppression.${suppression}`)}</Badge>
              {personText('since', { at: date(since) })}
              {reason !== null && <span className="wrap-anywhere">{`· ${reason}`}</span>}
            </li>
          ))}
        </ul>
      )}
    </Callout>
  );
}

/** How many mails the person got, opened and clicked. */
function Counters({ details: { subscriber } }: { details: Details }) {
  const { emailCount, openCount, clickCount } = subscriber;
  return (
    <dl className="grid grid-cols-3 divide-x divide-line rounded-lg border border-line py-2 text-center">
      {(
        [
          ['sent', emailCount],
          ['opened', openCount],
          ['clicked', clickCount],
        ] as const
      ).map(([name, count]) => (
        <div key={name} className="flex flex-col-reverse">
          <dt className="text-sm text-soft">{personText(name)}</dt>
          <dd className="text-lg font-semibold tabular">{subscriberText('count', { count })}</dd>
        </div>
      ))}
    </dl>
  );
}
