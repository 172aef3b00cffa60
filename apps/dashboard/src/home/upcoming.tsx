import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { dateTime } from '../messages/format.js';
import { homeText } from '../messages/en/home.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Skeleton } from '../ui/states.js';
import { cardClass, HomeSection } from './section.js';

const weekMs = 7 * 86_400_000;

/** The campaigns that start within seven days, with the hour in their own time zone. */
export function Upcoming() {
  const { data, error, refetch } = useQuery(
    queries.search_campaigns({ statuses: ['SCHEDULED'], sort: 'scheduledAt', order: 'ASC', limit: 20 }),
  );
  const soon = (data?.campaigns ?? []).filter(
    ({ scheduledAt }) => scheduledAt !== null && Date.parse(scheduledAt) < Date.now() + weekMs,
  );
  return (
    <HomeSection title={homeText('next')}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {data && (
        <ul className={cardClass}>
          {soon.length === 0 && <li className="px-4 py-3 text-soft">{homeText('nothingNext')}</li>}
          {soon.map(({ id, name, scheduledAt, timezone }) => (
            <li key={id} className="relative flex items-baseline gap-4 px-4 py-3 hover:bg-ground/70">
              <ScreenLink
                screen="campaign"
                params={{ campaignId: id }}
                className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
              >
                {name}
              </ScreenLink>
              <time dateTime={scheduledAt!} className="shrink-0 text-sm text-soft tabular">
                {dateTime(scheduledAt!, timezone ?? undefined)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </HomeSection>
  );
}
