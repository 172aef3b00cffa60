import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { useLetter } from '../parts/use-letter.js';
import { Callout } from '../ui/states.js';
import { CampaignFrame } from './campaign-frame.js';
import type { Campaign } from './campaign-status.js';
import { Engagement } from './engagement.js';
import { OutcomeBar } from './outcome-bar.js';
import { outcomeParts, outcomes } from './outcomes.js';
import { RecipientList, retried } from './recipient-list.js';
import { SendState } from './send-state.js';

const searchPart = z.object({ outcome: z.optional(z.enum(outcomes)) });

/** Numbers come as live updates. A send that stands still has none, and says why it waits when it is read so often. */
const standsMs = 15_000;

/** What becomes of a campaign: the way back while it waits, progress, outcomes with their people, opens and clicks. */
export function CampaignReportPage() {
  return <CampaignFrame>{(campaign) => <Report campaign={campaign} />}</CampaignFrame>;
}

function Report({ campaign }: { campaign: Campaign }) {
  const { id: campaignId, status } = campaign;
  const [{ outcome }, setSearch] = useScreenSearch(searchPart);
  const isStarted = status === 'SENDING' || status === 'SENT' || status === 'FAILED';
  const progress = useQuery({
    ...queries.get_campaign_progress({ campaignId }),
    enabled: isStarted,
    refetchOnMount: 'always',
    refetchInterval: status === 'SENDING' ? standsMs : false,
  });
  const recipients = useQuery({
    ...queries.list_campaign_recipients({ campaignId, limit: 1 }),
    enabled: isStarted,
    refetchOnMount: 'always',
  });
  const total = progress.data?.total ?? 0;
  const [isRetryAsked, setRetryAsked] = useState(false);
  const parts = recipients.data?.counts ? outcomeParts(recipients.data.counts, total) : [];
  useLetter('r', () => {
    const button = document.querySelector<HTMLElement>('[data-retry]');
    if (button) return button.click();
    const first = parts.find((part) => retried.includes(part.outcome));
    if (!first) return;
    setRetryAsked(true);
    setSearch({ outcome: first.outcome }, { replace: true });
  });
  return (
    <div className="flex flex-col gap-8">
      {!isStarted && status !== 'SCHEDULED' && <Callout tone="plain">{campaignText('report.draft')}</Callout>}
      <SendState campaign={campaign} progress={progress.data} />
      {progress.error && <ErrorNotice error={progress.error} onRetry={() => void progress.refetch()} />}
      {recipients.error && <ErrorNotice error={recipients.error} onRetry={() => void recipients.refetch()} />}
      {parts.length > 0 && (
        <section className="flex flex-col gap-4">
          <h2 className="text-lg font-semibold">{campaignText('outcomes')}</h2>
          <OutcomeBar
            parts={parts}
            total={total}
            chosen={outcome}
            onChoose={(next) => {
              setRetryAsked(false);
              setSearch({ outcome: next }, { replace: true });
            }}
          />
          {outcome && (
            <RecipientList key={outcome} campaignId={campaignId} outcome={outcome} isRetryAsked={isRetryAsked} />
          )}
        </section>
      )}
      {isStarted && <Engagement campaignId={campaignId} />}
    </div>
  );
}
