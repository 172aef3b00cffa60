import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { FilterBuilder } from '../parts/filter/filter-builder.js';
import { filterFields } from '../parts/filter/filter.js';
import { filterSentence } from '../parts/filter/filter-sentence.js';
import { mayAct } from '../parts/own-role.js';
import { Callout } from '../ui/states.js';
import { audienceOf, filtersOf } from './audience.js';
import { AudienceCount } from './audience-count.js';
import { CampaignFrame } from './campaign-frame.js';
import type { Campaign } from './campaign-status.js';
import { SegmentChoice } from './segment-choice.js';
import { useAudience } from './use-audience.js';
import { WhyForm } from './why-form.js';

/** Who gets a campaign, who is left out and why. */
export function CampaignAudiencePage() {
  return (
    <CampaignFrame>
      {(campaign) =>
        campaign.status === 'DRAFT' && mayAct('editor') ? (
          <Choosing key={campaign.id} campaign={campaign} />
        ) : (
          <Chosen campaign={campaign} />
        )
      }
    </CampaignFrame>
  );
}

function Choosing({ campaign }: { campaign: Campaign }) {
  const { filters, change, isSaving, isUnfinished, error } = useAudience(campaign);
  const { segmentIds, others } = audienceOf(filters);
  return (
    <div className="grid min-w-0 grid-cols-1 items-start gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-8">
        {filters.length === 0 && (
          <Callout tone="warn">
            <p className="font-medium">{campaignText('audience.everybody')}</p>
            <p>{campaignText('audience.everybodyHint')}</p>
          </Callout>
        )}
        {error !== null && <ErrorNotice error={error} onRetry={() => change(filters)} />}
        <SegmentChoice chosen={segmentIds} onChange={(ids) => change(filtersOf(ids, others))} />
        <section>
          <h2 className="mb-2 text-lg font-semibold">{campaignText('audience.filters')}</h2>
          <FilterBuilder filters={others} onChange={(next) => change(filtersOf(segmentIds, next))} />
        </section>
      </div>
      <div className="flex min-w-0 flex-col gap-8">
        <AudienceCount campaignId={campaign.id} isSaving={isSaving} isUnfinished={isUnfinished} />
        <WhyForm campaignId={campaign.id} />
      </div>
    </div>
  );
}

function Chosen({ campaign }: { campaign: Campaign }) {
  const { data } = useQuery({ ...queries.get_available_filters({}), staleTime: 300_000 });
  const { data: segments } = useQuery(queries.list_segments({ limit: 1000 }));
  const nameOf = (id: string) => segments?.segments.find((one) => one.id === id)?.name ?? id;
  return (
    <div className="flex max-w-3xl flex-col gap-8">
      <div>
        {data && (
          <p className="font-medium wrap-anywhere">
            {filterSentence(campaign.recipientFilters, filterFields(data), nameOf)}
          </p>
        )}
        <p className="mt-1 text-soft">{campaignText(campaign.status === 'DRAFT' ? 'readOnly' : 'audience.locked')}</p>
      </div>
      <WhyForm campaignId={campaign.id} />
    </div>
  );
}
