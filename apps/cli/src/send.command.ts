import { campaignRequests, deliveryRequests } from '#contracts';
import type { Command } from './command.js';
import type { Session } from './session.js';
import { tableLines } from './terminal.js';

const org = { value: 'ID', about: 'the organization; not needed when there is only one' };
const messagesShown = 100;

const list: Command = {
  words: ['sends', 'list'],
  about: 'Lists the sends of an organization’s campaigns, the newest first.',
  options: { org },
  run: async (typed, session) => {
    const caller = session.caller(await session.organizationId(typed.text('org')));
    const { sends } = await (await delivery(session)).list_sends({}, caller);
    const rows = sends.map((send) => [
      send.sendId,
      send.state,
      String(send.total),
      send.startedAt,
      send.finishedAt ?? '-',
      send.campaignId,
      send.campaignName,
    ]);
    const headings = ['ID', 'STATE', 'RECIPIENTS', 'STARTED', 'FINISHED', 'CAMPAIGN', 'NAME'];
    for (const line of tableLines([headings, ...rows])) session.terminal.say(line);
  },
};

const show: Command = {
  words: ['sends', 'show'],
  parameters: ['ID'],
  about: 'Shows how far a send is: its pages, who was skipped and why, and which messages are in doubt.',
  options: { org },
  run: async (typed, session) => {
    const caller = session.caller(await session.organizationId(typed.text('org')));
    const sendId = typed.parameters[0]!;
    const { terminal } = session;
    const requests = await delivery(session);
    const { progress } = await requests.get_send_progress({ sendId }, caller);
    const { states, leased } = await requests.list_send_pages({ sendId }, caller);
    const doubtful = await requests.list_send_messages({ sendId, states: ['IN_DOUBT'], limit: messagesShown }, caller);
    const facts = [
      ['Campaign', progress.campaignId],
      ['State', [progress.state, progress.pausedReason, progress.waitingFor].filter(Boolean).join(': ')],
      ['Started', progress.startedAt],
      ['Finished', progress.finishedAt ?? '-'],
      ['Recipients', String(progress.total)],
      ...(['sent', 'delivered', 'bounced', 'failed', 'deferred', 'pending', 'inDoubt'] as const).map((key) => [
        `  ${key === 'inDoubt' ? 'in doubt' : key}`,
        String(progress[key]),
      ]),
      ...Object.entries(progress.skipped).map(([reason, n]) => [`  skipped ${reason}`, String(n)]),
      ['Pages', `${states.READY} ready, ${states.LEASED} leased, ${states.DONE} done`],
      ...leased.map((page) => [`  page ${page.page}`, `${page.sent} sent; leased until ${page.until}`]),
    ];
    for (const line of tableLines(facts)) terminal.say(line);
    const rows = doubtful.messages.map(({ id, email, response }) => [id, email, response ?? '-']);
    if (rows.length > 0) for (const line of tableLines([['IN DOUBT', 'EMAIL', 'WHY'], ...rows])) terminal.say(line);
    if (doubtful.nextCursor) terminal.say(`… the first ${messagesShown} are shown.`);
  },
};

const control = (action: 'pause' | 'resume' | 'stop', about: string, done: string): Command => ({
  words: ['campaign', action],
  parameters: ['ID'],
  about,
  options: { org },
  run: async (typed, session) => {
    const caller = session.caller(await session.organizationId(typed.text('org')));
    const requests = (await session.bus()).client(campaignRequests);
    const { campaignId } = await requests.control_campaign({ campaignId: typed.parameters[0]!, action }, caller);
    session.terminal.say(`Campaign ${campaignId} ${done}.`);
  },
});

export const sendCommands = [
  list,
  show,
  control('pause', 'Holds a campaign that is being sent; at most the open connections finish.', 'is paused'),
  control('resume', 'Goes on with a paused campaign.', 'goes on'),
  control('stop', 'Ends a campaign that is being sent; who has not got it is skipped.', 'is stopped'),
];

const delivery = async (session: Session) => (await session.bus()).client(deliveryRequests);
