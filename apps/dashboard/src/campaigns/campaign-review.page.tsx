import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { useWaitingApproval } from '../parts/use-waiting-approval.js';
import { Callout, Skeleton } from '../ui/states.js';
import { CampaignFrame } from './campaign-frame.js';
import type { Campaign } from './campaign-status.js';
import { draftOf } from './draft.js';
import { MailPreview } from '../parts/mail/mail-preview.js';
import { ReviewChecks } from './review-checks.js';
import { ScheduleForm } from './schedule-form.js';
import { TestForm } from './test-form.js';
import { useUnfinished } from './use-unfinished.js';

/** What a send would do, a test of it, and the send itself. */
export function CampaignReviewPage() {
  return (
    <CampaignFrame>
      {(campaign) =>
        campaign.status === 'DRAFT' ? (
          <Review campaign={campaign} />
        ) : (
          <Callout tone="plain">
            {campaignText('notDraft', { status: campaignText(`status.${campaign.status}`) })}
          </Callout>
        )
      }
    </CampaignFrame>
  );
}

function Review({ campaign }: { campaign: Campaign }) {
  const waiting = useWaitingApproval('schedule_campaign', campaign.id);
  const unfinished = useUnfinished(campaign.id);
  const { data: organization } = useQuery({ ...queries.get_organization({}), staleTime: 300_000 });
  const address = organization?.organization.address;
  const { data: domains } = useQuery(queries.list_domains({}));
  const sandboxes = (domains?.domains ?? []).filter(({ sandbox }) => sandbox).map(({ domain }) => domain);
  const preview = useQuery({
    ...queries.preview_send({ campaignId: campaign.id, examples: 3 }),
    refetchOnMount: 'always',
  });
  return (
    <div className="grid min-w-0 grid-cols-1 items-start gap-x-8 gap-y-8 md:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-8">
        {preview.error && <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />}
        {preview.data ? (
          <ReviewChecks campaign={campaign} preview={preview.data} facts={{ unfinished, address, sandboxes }} />
        ) : (
          !preview.error && <Skeleton className="h-60" />
        )}
        {mayAct('editor') && (
          <>
            <TestForm campaignId={campaign.id} />
            {/* Asking twice would change nothing. */}
            {(!waiting || mayAct('approver')) && (
              <ScheduleForm
                campaign={campaign}
                recipientCount={preview.data?.recipientCount}
                isUnfinished={unfinished.length > 0}
              />
            )}
          </>
        )}
      </div>
      <MailPreview source={draftOf(campaign)} />
    </div>
  );
}
