import { setTimeout as pause } from 'node:timers/promises';
import type { ToolData } from '#client';
import type { Api } from './api.js';
import { exitStatus } from './command-error.js';
import type { ExitStatus } from './command-error.js';
import { durationText, progressBar } from './progress-bar.js';
import type { Session } from './session.js';
import { jsonLine } from './terminal.js';
import type { Typed } from './typed.js';

type Progress = ToolData<'get_campaign_progress'>;

const pollMs = 1_000;
/** States in which nothing of a campaign is sent any more. */
const ended = ['SENT', 'FAILED', 'ARCHIVED', 'DRAFT'];

/**
 * Shows the progress of a campaign until it ends: with --json a line for each change, else a bar that is redrawn.
 * Ctrl-C ends the watch and not the send.
 */
export async function watchCampaign(
  { typed, api, session }: { typed: Typed; api: Api; session: Session },
  campaignId: string,
): Promise<ExitStatus> {
  const { terminal } = session;
  let shown = '';
  for (;;) {
    const progress = await api.call('get_campaign_progress', { campaignId });
    const isEnded = ended.includes(progress.status);
    const change = typed.has('json') ? jsonLine(progress) : progressText(progress);
    if (terminal.redraws && !typed.has('json')) terminal.redraw(isEnded ? '' : change);
    else if (change !== shown && !isEnded) terminal.say(change);
    if (isEnded) {
      terminal.say(change);
      return progress.status === 'FAILED' ? exitStatus.failed : exitStatus.done;
    }
    shown = change;
    await pause(pollMs);
  }
}

function progressText(progress: Progress): string {
  const { status, percent, total, sent, failed, pending, ratePerSecond } = progress;
  const wait = progress.pausedReason ?? progress.waitingFor;
  const left = ratePerSecond > 0 && pending > 0 ? `, ${durationText(pending / ratePerSecond)} left` : '';
  const counts = `${sent.toLocaleString('en')} of ${total.toLocaleString('en')} sent, ${failed.toLocaleString('en')} failed`;
  const rate = ratePerSecond > 0 ? `, ${Math.round(ratePerSecond).toLocaleString('en')}/s` : '';
  return `${progressBar(percent / 100)} ${progress.paused ? 'PAUSED' : status} ${counts}${rate}${left}${wait ? ` (${wait})` : ''}`;
}
