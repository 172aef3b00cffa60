import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { queries } from '../data/tools.calls.js';
import { currentSession } from '../data/session.js';
import { homeText } from '../messages/en/home.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { Skeleton } from '../ui/states.js';
import { NeedsYou } from './needs-you.js';

// It reads more than the rest of the page, and is gone once all is set up.
const Checklist = lazy(async () => ({ default: (await import('./checklist.js')).Checklist }));

// What changes something comes after the first paint.
const NewCampaign = lazy(async () => ({ default: (await import('../parts/new-campaign.js')).NewCampaign }));

// Below what needs the user, which comes first.
const UnderWay = lazy(async () => ({ default: (await import('./under-way.js')).UnderWay }));
const Upcoming = lazy(async () => ({ default: (await import('./upcoming.js')).Upcoming }));
const Figures = lazy(async () => ({ default: (await import('./figures.js')).Figures }));

/** What needs the user, what is under way, what comes next; a checklist leads there until all is set up. */
export function HomePage() {
  const { data: stats, error, refetch } = useQuery(queries.get_org_stats({}));
  const name = currentSession()?.user.name.split(' ')[0] ?? '';
  return (
    <Page
      title={homeText('title')}
      heading={homeText('greeting', { name })}
      actions={
        <Suspense fallback={<Skeleton className="h-8 w-36" />}>
          <NewCampaign />
        </Suspense>
      }
    >
      <div className="flex flex-col gap-8">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {stats && (
          <Suspense fallback={null}>
            <Checklist stats={stats} />
          </Suspense>
        )}
        <NeedsYou />
        <div className="grid gap-8 lg:grid-cols-2">
          <Suspense fallback={<Skeleton className="h-24" />}>
            <UnderWay />
          </Suspense>
          <Suspense fallback={<Skeleton className="h-24" />}>
            <Upcoming />
          </Suspense>
        </div>
        <Suspense fallback={<Skeleton className="h-40" />}>
          <Figures {...(stats && { stats })} />
        </Suspense>
      </div>
    </Page>
  );
}
