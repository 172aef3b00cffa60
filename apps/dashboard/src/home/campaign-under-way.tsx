import { useQuery } from '@tanstack/react-query';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { number } from '../messages/format.js';
import { homeText } from '../messages/en/home.js';
import { mayAct } from '../parts/own-role.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Bar } from '../ui/bar.js';
import { Button } from '../ui/button.js';
import { Badge } from '../ui/states.js';

/** One campaign that is being sent: how far it is, and Pause. */
export function CampaignUnderWay({ campaignId, name }: { campaignId: string; name: string }) {
  const { data } = useQuery(queries.get_campaign_progress({ campaignId }));
  const pause = useAction(actions.pause_campaign());
  const resume = useAction(actions.resume_campaign());
  const change = async (action: typeof pause | typeof resume, undo?: () => Promise<void>) => {
    try {
      await action.run({ campaignId });
      if (undo) notify({ kind: 'done', text: homeText('pausedDone', { name }), undo });
    } catch (error) {
      reportFailure(error);
    }
  };
  const done = data ? data.total - data.pending - data.deferred : 0;
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex items-center gap-3">
        <ScreenLink screen="campaignReport" params={{ campaignId }} className="min-w-0 flex-1 truncate font-medium">
          {name}
        </ScreenLink>
        {data && <StateBadge isPaused={data.paused} waitingFor={data.waitingFor} />}
        {data && mayAct(data.paused ? 'approver' : 'editor') && (
          <Button
            small
            icon={data.paused ? 'play' : 'pause'}
            busy={pause.isPending || resume.isPending}
            onClick={() => void (data.paused ? change(resume) : change(pause, () => change(resume)))}
          >
            {homeText(data.paused ? 'resume' : 'pause')}
          </Button>
        )}
      </div>
      <Bar label={name} share={data && data.total > 0 ? done / data.total : 0} />
      <p className="flex justify-between gap-4 text-sm text-soft tabular">
        <span>{data && homeText('progress', { done: number(done), total: number(data.total) })}</span>
        <span>{data && !data.paused && homeText('rate', { rate: number(Math.round(data.ratePerSecond)) })}</span>
      </p>
    </li>
  );
}

function StateBadge({ isPaused, waitingFor }: { isPaused: boolean; waitingFor: string | null }) {
  if (isPaused) return <Badge tone="warn">{homeText('state.paused')}</Badge>;
  if (waitingFor !== null) return <Badge tone="warn">{homeText('state.waiting')}</Badge>;
  return <Badge tone="info">{homeText('state.sending')}</Badge>;
}
