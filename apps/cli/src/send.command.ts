import type { ToolData } from '#client';
import type { Api } from './api.js';
import { numberTyped } from './command.js';
import { durationText } from './progress-bar.js';
import { watchCampaign } from './progress-watch.js';
import { cellText, tableLines } from './terminal.js';
import { apiCommand, toolCommand } from './tool-command.js';
import type { Typed } from './typed.js';

type Send = ToolData<'get_send'>['send'];

const doubtfulShown = 100;

const list = toolCommand({
  words: ['sends', 'list'],
  about: 'Lists the sends of an organization’s campaigns, the newest first.',
  options: { limit: { value: 'N', about: 'number of sends, 1 to 100 (default: 20)' } },
  tool: 'list_sends',
  input: (typed) => ({ limit: numberTyped(typed, 'limit', 100) }),
  lines: ({ sends }) =>
    tableLines([
      ['ID', 'STATE', 'RECIPIENTS', 'STARTED', 'FINISHED', 'CAMPAIGN', 'NAME'],
      ...sends.map((send) => [
        ...[send.sendId, send.state, String(send.total), send.startedAt, cellText(send.finishedAt)],
        ...[send.campaignId, send.campaignName],
      ]),
    ]),
});

/** A send is named by its own id or its campaign's. */
const named = ({ parameters: [id = ''] }: Typed) => (id.startsWith('cmp_') ? { campaignId: id } : { sendId: id });

const info = apiCommand({
  words: ['sends', 'info'],
  aliases: [['sends', 'show']],
  parameters: ['ID'],
  about: 'Shows how far a send is, who was skipped and why, and which messages are in doubt.',
  run: async (typed, api, { show }) => {
    const { send } = await api.call('get_send', named(typed));
    const doubtful = typed.has('json') || send.inDoubt === 0 ? [] : await doubtfulLines(api, send.campaignId);
    show(typed, { send }, () => [...tableLines(factsOf(send)), ...doubtful]);
  },
});

const factsOf = (send: Send): string[][] => [
  ['Campaign', `${send.campaignId} ${send.campaignName}`],
  ['State', [send.state, send.pausedReason, send.waitingFor].filter(Boolean).join(': ')],
  ['Started', send.startedAt],
  ['Finished', cellText(send.finishedAt)],
  ['Time left', send.etaSeconds === null ? '-' : durationText(send.etaSeconds)],
  ['Recipients', String(send.total)],
  ...(['sent', 'delivered', 'bounced', 'failed', 'deferred', 'pending', 'inDoubt'] as const).map((key) => [
    `  ${key === 'inDoubt' ? 'in doubt' : key}`,
    String(send[key]),
  ]),
  ...Object.entries(send.skipped).map(([reason, n]) => [`  skipped ${reason}`, String(n)]),
  ['Chunks', `${send.chunks.ready} ready, ${send.chunks.leased} leased, ${send.chunks.done} done`],
  ['Relay', [send.relay.relayId, send.relay.backoffUntil, send.relay.reason].filter(Boolean).join(' ')],
];

async function doubtfulLines(api: Api, campaignId: string): Promise<string[]> {
  const input = { campaignId, statuses: ['IN_DOUBT' as const], limit: doubtfulShown };
  const { recipients, nextCursor } = await api.call('list_campaign_recipients', input);
  const rows = recipients.map(({ email, response }) => [email, cellText(response)]);
  return [
    ...tableLines([['IN DOUBT', 'WHY'], ...rows]),
    ...(nextCursor ? [`… the first ${doubtfulShown} are shown.`] : []),
  ];
}

const watch = apiCommand({
  words: ['sends', 'watch'],
  parameters: ['ID'],
  about: 'Shows the progress of a send until it ends; with --json a line for each change.',
  run: async (typed, api, session) => {
    const { send } = await api.call('get_send', named(typed));
    return await watchCampaign({ typed, api, session }, send.campaignId);
  },
});

export const sendCommands = [list, info, watch];
