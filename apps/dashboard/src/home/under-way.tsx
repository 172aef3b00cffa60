import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { number } from '../messages/format.js';
import { homeText } from '../messages/en/home.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Badge, Skeleton } from '../ui/states.js';
import { cardClass, HomeSection } from './section.js';

type Campaign = ToolData<'search_campaigns'>['campaigns'][number];

// While a campaign is being sent only.
const CampaignUnderWay = lazy(async () => ({ default: (await import('./campaign-under-way.js')).CampaignUnderWay }));

const shownMax = 4;

const newest = { sort: 'startedAt', order: 'DESC', limit: shownMax } as const;

/** The campaigns that are being sent with their progress, where Pause acts at once, then those that ended last. */
export function UnderWay() {
  const sending = useQuery(queries.search_campaigns({ statuses: ['SENDING'], ...newest }));
  const ended = useQuery(queries.search_campaigns({ statuses: ['SENT', 'FAILED'], ...newest }));
  const error = sending.error ?? ended.error;
  const campaigns =
    sending.data && ended.data && [...sending.data.campaigns, ...ended.data.campaigns].slice(0, shownMax);
  return (
    <HomeSection title={homeText('lastSent')}>
      {error && <ErrorNotice error={error} onRetry={() => void Promise.all([sending.refetch(), ended.refetch()])} />}
      {!campaigns && !error && <Skeleton className="h-24" />}
      {campaigns && (
        <ul className={cardClass}>
          {campaigns.length === 0 && <li className="px-4 py-3 text-soft">{homeText('nothingSent')}</li>}
          {campaigns.map((campaign) =>
            campaign.status === 'SENDING' ? (
              <Suspense key={campaign.id} fallback={<Skeleton className="h-24" />}>
                <CampaignUnderWay campaignId={campaign.id} name={campaign.name} />
              </Suspense>
            ) : (
              <Sent key={campaign.id} campaign={campaign} />
            ),
          )}
        </ul>
      )}
    </HomeSection>
  );
}

/** A campaign that has ended, with the way to who got it and who did not. */
function Sent({ campaign: { id: campaignId, name, status, recipientCount, results } }: { campaign: Campaign }) {
  return (
    <li className="relative flex items-center gap-3 px-4 py-3 hover:bg-ground/70">
      <span className="min-w-0 flex-1">
        <ScreenLink
          screen="campaignReport"
          params={{ campaignId }}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {name}
        </ScreenLink>
        <span className="block text-sm text-soft tabular">
          {homeText('deliveredOf', { done: number(results.delivered), total: number(recipientCount ?? 0) })}
        </span>
      </span>
      {status === 'FAILED' ? (
        <Badge tone="bad">{homeText('state.failed')}</Badge>
      ) : (
        <Badge tone="good">{homeText('state.sent')}</Badge>
      )}
    </li>
  );
}
