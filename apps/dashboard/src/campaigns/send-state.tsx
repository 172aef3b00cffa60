import { useQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { campaignText } from '../messages/en/campaigns.js';
import { dateTime, number, percent } from '../messages/format.js';
import { mayAct } from '../parts/own-role.js';
import { useGo } from '../parts/screen-link.js';
import { useLetter } from '../parts/use-letter.js';
import { Button } from '../ui/button.js';
import { Badge, Callout } from '../ui/states.js';
import type { Campaign } from './campaign-status.js';
import { SendControls } from './send-control.js';
import { useNow } from './use-now.js';

/** What a campaign does at the moment, with what can be done about it. */
export function SendState({
  campaign,
  progress,
}: {
  campaign: Campaign;
  progress: ToolData<'get_campaign_progress'> | undefined;
}) {
  const { status, failure } = campaign;
  if (status === 'SCHEDULED') return <Scheduled campaign={campaign} />;
  if (status === 'SENDING') return <Sending campaignId={campaign.id} progress={progress} />;
  if (status === 'FAILED') return <Callout tone="bad">{campaignText('failure', { reason: failure ?? '–' })}</Callout>;
  return null;
}

function Scheduled({ campaign }: { campaign: Campaign }) {
  const { data } = useQuery({ ...queries.get_organization({}), staleTime: 300_000 });
  const cancel = useAction(actions.cancel_campaign_schedule());
  const go = useGo();
  const at = new Date(campaign.scheduledAt ?? 0).getTime();
  const now = useNow(true);
  const delayMs = (data?.organization.sendDelaySeconds ?? 0) * 1_000;
  const leftMs = Math.max(0, at - now);
  const isUndo = data !== undefined && leftMs <= delayMs;
  useRefreshWhenDue(campaign.id, leftMs === 0);
  const back = async () => {
    await cancel.run({ campaignId: campaign.id });
    notify({ kind: 'done', text: campaignText('undone') });
    go({ screen: 'campaignReview', params: { campaignId: campaign.id }, replace: true });
  };
  return (
    <section className="relative flex flex-wrap items-center gap-3 overflow-hidden rounded-lg border border-line bg-ground px-4 py-3">
      <p className="min-w-0 flex-1 font-medium tabular" role="timer">
        {isUndo
          ? campaignText('undo.title', { seconds: Math.ceil(leftMs / 1_000) })
          : campaignText('scheduled.title', { time: dateTime(new Date(at), campaign.timezone ?? undefined) })}
      </p>
      {mayAct('editor') && (
        <Button
          icon="undo"
          look={isUndo ? 'primary' : 'plain'}
          data-undo={isUndo ? '' : undefined}
          busy={cancel.isPending}
          onClick={() => void back().catch(reportFailure)}
        >
          {campaignText(isUndo ? 'undo.button' : 'scheduled.cancel')}
        </Button>
      )}
      {isUndo && (
        <span
          aria-hidden="true"
          className="absolute inset-x-0 bottom-0 h-0.5 origin-left bg-accent transition-transform duration-300 ease-linear"
          style={{ transform: `scaleX(${delayMs === 0 ? 0 : leftMs / delayMs})` }}
        />
      )}
    </section>
  );
}

/** Reads the campaign again each second from the instant on at which it should start. */
function useRefreshWhenDue(campaignId: string, isDue: boolean): void {
  useQuery({ ...queries.get_campaign({ campaignId }), refetchInterval: isDue ? 1_000 : false });
}

function Sending({
  campaignId,
  progress,
}: {
  campaignId: string;
  progress: ToolData<'get_campaign_progress'> | undefined;
}) {
  useLetter('p', () => document.querySelector<HTMLElement>('[data-pause]')?.click());
  if (!progress) return <Callout>{campaignText('sending.preparing')}</Callout>;
  const { paused, waitingFor, ratePerSecond, total, pending } = progress;
  const share = total === 0 ? 0 : (total - pending) / total;
  return (
    <section className="flex flex-col gap-2 rounded-lg border border-line bg-ground px-4 py-3">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex items-center gap-2 font-medium tabular">
            {campaignText('sending.title', { percent: percent(share) })}
            {paused && <Badge tone="warn">{campaignText('sending.paused')}</Badge>}
          </p>
          <p className="text-sm text-soft tabular">
            {number(total - pending)} / {number(total)}
            {!paused && ratePerSecond > 0 && ` · ${campaignText('sending.rate', { count: Math.round(ratePerSecond) })}`}
          </p>
        </div>
        <SendControls campaignId={campaignId} isPaused={paused} />
      </div>
      <progress
        aria-label={campaignText('sending.title', { percent: percent(share) })}
        className="h-1.5 w-full appearance-none overflow-hidden rounded-full [&::-webkit-progress-bar]:bg-sunk [&::-webkit-progress-value]:bg-accent [&::-moz-progress-bar]:bg-accent"
        max={1}
        value={share}
      />
      {waitingFor !== null && !paused && (
        <p className="text-sm text-warn">{campaignText('sending.waiting', { reason: waitingFor })}</p>
      )}
      {paused && progress.pausedReason !== null && <p className="text-sm text-soft">{progress.pausedReason}</p>}
    </section>
  );
}
