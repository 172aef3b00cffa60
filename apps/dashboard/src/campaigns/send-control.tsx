import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { campaignText } from '../messages/en/campaigns.js';
import { mayAct } from '../parts/own-role.js';
import { Button, IconButton } from '../ui/button.js';

/** Pauses a campaign from its row, at once. */
export function PauseButton({ campaignId, name }: { campaignId: string; name: string }) {
  const pause = useAction(actions.pause_campaign());
  if (!mayAct('editor')) return null;
  return (
    <IconButton
      small
      icon="pause"
      label={campaignText('pause')}
      busy={pause.isPending}
      className="relative z-1"
      onClick={() =>
        void pause
          .run({ campaignId })
          .then(() => notify({ kind: 'done', text: campaignText('paused', { name }) }), reportFailure)
      }
    />
  );
}

/** Pause or resume, and stop. Pausing acts at once; the others ask. */
export function SendControls({ campaignId, isPaused }: { campaignId: string; isPaused: boolean }) {
  const pause = useAction(actions.pause_campaign());
  const resume = useAction(actions.resume_campaign({ button: campaignText('resume') }));
  const stop = useAction(actions.stop_campaign({ button: campaignText('stop.button') }));
  if (!mayAct('editor')) return null;
  return (
    <div className="flex gap-2">
      {isPaused ? (
        <Button
          icon="play"
          busy={resume.isPending}
          onClick={() => void resume.run({ campaignId }).catch(reportFailure)}
        >
          {campaignText('resume')}
        </Button>
      ) : (
        <Button
          icon="pause"
          data-pause=""
          busy={pause.isPending}
          onClick={() => void pause.run({ campaignId }).catch(reportFailure)}
        >
          {campaignText('pause')}
        </Button>
      )}
      <Button busy={stop.isPending} onClick={() => void stop.run({ campaignId }).catch(reportFailure)}>
        {campaignText('stop')}
      </Button>
    </div>
  );
}
