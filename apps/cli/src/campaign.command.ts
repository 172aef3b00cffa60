import { writeTextFile } from './output-file.js';
import { TidingsError } from '#client';
import type { ToolData, ToolInput } from '#client';
import { pluralize } from '#tool-call';
import type { Api } from './api.js';
import { CommandError, UsageError } from './command-error.js';
import { numberTyped } from './command.js';
import { readJson, readText } from './input-file.js';
import { watchCampaign } from './progress-watch.js';
import { cellText, tableLines } from './terminal.js';
import { apiCommand, toolCommand } from './tool-command.js';
import type { Typed } from './typed.js';

type Filters = ToolInput<'update_campaign_filters'>['filters'];
type Campaign = ToolData<'list_campaigns'>['campaigns'][number];

const id = (typed: Typed) => ({ campaignId: typed.parameters[0]! });
const statuses = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'FAILED', 'ARCHIVED'] as const;

const create = apiCommand({
  words: ['campaigns', 'create'],
  about: 'Creates a DRAFT campaign from a Markdown file. The last line is its id alone.',
  options: {
    name: { value: 'NAME', about: 'its name in lists (default: the subject)' },
    subject: { value: 'TEXT', about: 'the subject of the mail' },
    preview: { value: 'TEXT', about: 'the text that mail programs show beside the subject' },
    content: { value: 'FILE.md', about: 'the mail in Markdown; - for the standard input' },
    sender: { value: 'ID', about: 'who it comes from (default: the default sender)' },
    segment: { value: 'NAME', about: 'the segment that gets it, by name or id' },
    tag: { value: 'NAME', about: 'only subscribers with one of these tags', multiple: true },
    filters: { value: 'JSON|@FILE', about: 'a list of filters as get_available_filters describes them' },
  },
  run: async (typed, api, { terminal, show }) => {
    const filters = filtersTyped(typed);
    const made = await api.call('create_campaign', createInput(typed));
    const { campaignId } = made;
    const audience = filters && (await narrow(api, campaignId, filters));
    show(typed, made, () => {
      for (const { code, message } of made.warnings ?? []) terminal.note(`Warning ${code}: ${message}`);
      const recipients = audience
        ? `it goes to ${pluralize(audience.recipientCount, 'subscriber')} now`
        : 'it goes to all SUBSCRIBED subscribers';
      return [`Campaign "${made.campaign.name}" is a DRAFT; ${recipients}.`, campaignId];
    });
  },
});

function createInput(typed: Typed): ToolInput<'create_campaign'> {
  const subject = typed.text('subject');
  if (subject === undefined) throw new UsageError('--subject is missing.');
  const path = typed.text('content');
  if (path === undefined) throw new UsageError('--content is missing.');
  const senderId = typed.text('sender');
  const preview = typed.text('preview');
  return {
    subject,
    name: typed.text('name') ?? subject.slice(0, 255),
    content: readText(path),
    contentType: 'MARKDOWN',
    ...(preview !== undefined && { preview }),
    ...(senderId !== undefined && { senderId }),
  };
}

function filtersTyped(typed: Typed): Filters | undefined {
  const segment = typed.text('segment');
  const tagNames = typed.texts('tag');
  const json = typed.text('filters');
  const given = json === undefined ? [] : readJson(json, '--filters');
  if (!Array.isArray(given)) throw new UsageError('--filters must be a list of filters.');
  const named = segment?.startsWith('seg_') ? { segmentId: segment } : { segmentName: segment };
  const filters = [
    ...(segment === undefined ? [] : [{ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', ...named }]),
    ...(tagNames.length === 0 ? [] : [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames }]),
    ...(given as object[]),
  ];
  return filters.length > 0 ? (filters as Filters) : undefined;
}

async function narrow(api: Api, campaignId: string, filters: Filters) {
  try {
    return await api.call('update_campaign_filters', { campaignId, filters });
  } catch (error) {
    if (!(error instanceof TidingsError)) throw error;
    throw new CommandError(`${error.message} The campaign ${campaignId} exists without filters: it is a DRAFT.`);
  }
}

const list = toolCommand({
  words: ['campaigns', 'list'],
  about: 'Lists campaigns, the newest first. ARCHIVED ones are listed with --status ARCHIVED only.',
  options: {
    status: { value: 'STATUS', about: `one of ${statuses.join(', ')}`, choices: statuses },
    query: { value: 'TEXT', about: 'a part of name or subject' },
    limit: { value: 'N', about: 'number of campaigns, 1 to 100 (default: 20)' },
    page: { value: 'N', about: 'which page (default: 1)' },
  },
  tool: 'list_campaigns',
  input: (typed) => ({
    status: typed.text('status') as (typeof statuses)[number] | undefined,
    query: typed.text('query'),
    limit: numberTyped(typed, 'limit', 100),
    page: numberTyped(typed, 'page', 1_000_000),
  }),
  lines: ({ campaigns, total, page, pageCount }) => [
    ...tableLines([
      ['ID', 'STATUS', 'NAME', 'SUBJECT', 'AT'],
      ...campaigns.map((one) => [one.id, one.status, one.name, one.subject, cellText(timeOf(one))]),
    ]),
    `${pluralize(total, 'campaign')}${pageCount > 1 ? `, page ${page} of ${pageCount}` : ''}.`,
  ],
});

const timeOf = ({ finishedAt, startedAt, scheduledAt }: Campaign) => finishedAt ?? startedAt ?? scheduledAt;

const info = toolCommand({
  words: ['campaigns', 'info'],
  parameters: ['ID'],
  about: 'Shows a campaign: its state, sender, recipients and content type.',
  tool: 'get_campaign',
  input: id,
  lines: ({ campaign }) =>
    tableLines([
      ['ID', campaign.id],
      ['Name', campaign.name],
      ['Subject', campaign.subject],
      ['Preview text', cellText(campaign.preview)],
      ['Status', campaign.failure ? `${campaign.status}: ${campaign.failure}` : campaign.status],
      ['Sender', campaign.sender ? `${campaign.sender.name} <${campaign.sender.email}>` : '-'],
      ['Reply to', cellText(campaign.replyTo)],
      [
        'Filters',
        campaign.recipientFilters.length > 0 ? JSON.stringify(campaign.recipientFilters) : 'all SUBSCRIBED subscribers',
      ],
      ['Content', campaign.contentType],
      ['Scheduled', cellText(campaign.scheduledAt)],
      ['Started', cellText(campaign.startedAt)],
      ['Finished', cellText(campaign.finishedAt)],
      ['Changed', campaign.updatedAt],
    ]),
});

const preview = apiCommand({
  words: ['campaigns', 'preview'],
  parameters: ['ID'],
  about: 'Shows the mail as a subscriber would get it and, of a DRAFT, who would get it.',
  options: {
    subscriber: { value: 'EMAIL', about: 'for this subscriber (default: variables show their fallbacks)' },
    html: { value: 'FILE', about: 'writes the HTML there' },
  },
  run: async (typed, api, { show }) => {
    const email = typed.text('subscriber');
    const subscriberId = email === undefined ? undefined : (await api.call('get_subscriber', { email })).subscriber.id;
    const mail = await api.call('render_campaign', { ...id(typed), subscriberId, format: 'both' });
    const file = typed.text('html');
    if (file !== undefined) writeTextFile(file, mail.html ?? '', 'The HTML');
    const audience = typed.has('json') ? [] : await audienceLines(api, typed.parameters[0]!);
    show(typed, mail, () => [
      `Subject: ${mail.subject}`,
      ...(mail.preview === null ? [] : [`Preview: ${mail.preview}`]),
      '',
      ...(mail.text ?? '').split('\n'),
      '',
      ...mail.warnings.map(({ code, message }) => `Warning ${code}: ${message}`),
      ...audience,
    ]);
  },
});

/** Who would get a campaign now; no lines for one that is no DRAFT. */
async function audienceLines(api: Api, campaignId: string): Promise<string[]> {
  try {
    const { message, excluded, warnings } = await api.call('preview_send', { campaignId });
    return [
      message,
      ...excluded.map(({ reason, count }) => `  excluded ${reason}: ${count.toLocaleString('en')}`),
      ...warnings.map((warning) => `Warning ${warning.code}: ${warning.message}`),
    ];
  } catch (error) {
    if (error instanceof TidingsError && error.reason === 'CAMPAIGN_NOT_DRAFT') return [];
    throw error;
  }
}

const send = apiCommand({
  words: ['campaigns', 'send'],
  parameters: ['ID'],
  about: 'Sends a DRAFT campaign now, or at a time.',
  options: {
    at: { value: 'TIME', about: 'such as 2026-12-01T09:00 in the time zone of this machine, or with an offset' },
    watch: { about: 'shows the progress until the end; Ctrl-C ends the watch and not the send' },
  },
  asks: true,
  run: async (typed, api, session) => {
    const time = timeTyped(typed.text('at'));
    if (typed.has('watch') && time)
      throw new UsageError('--watch goes with a campaign that is sent now, without --at.');
    const scheduled = await api.call('schedule_campaign', { ...id(typed), ...(time && { date: time.toISOString() }) });
    const { campaignId, scheduledAt, recipientCount, warnings = [] } = scheduled;
    session.show(typed, scheduled, () => {
      for (const warning of warnings) session.terminal.note(`Warning: ${warning}`);
      const when = time ? `goes out at ${scheduledAt}` : 'goes out now';
      return [`Campaign ${campaignId} ${when} to ${pluralize(recipientCount, 'subscriber')}.`];
    });
    if (typed.has('watch')) return await watchCampaign({ typed, api, session }, campaignId);
  },
});

/** A typed time; without an offset it is one of this machine's time zone. @throws UsageError */
function timeTyped(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new UsageError(`--at takes a time such as 2026-12-01T09:00 or 2026-12-01T09:00+01:00, not "${text}".`);
  return time;
}

const pause = toolCommand({
  words: ['campaigns', 'pause'],
  aliases: [['campaign', 'pause']],
  parameters: ['ID'],
  about: 'Pauses a campaign that is being sent; at most the open connections finish.',
  tool: 'pause_campaign',
  input: id,
  lines: ({ campaignId }) => [`Campaign ${campaignId} is paused.`],
});

const resume = toolCommand({
  words: ['campaigns', 'resume'],
  aliases: [['campaign', 'resume']],
  parameters: ['ID'],
  about: 'Resumes a paused campaign where it stopped.',
  tool: 'resume_campaign',
  input: id,
  lines: ({ campaignId }) => [`Campaign ${campaignId} goes on.`],
});

const stop = toolCommand({
  words: ['campaigns', 'stop'],
  aliases: [['campaign', 'stop']],
  parameters: ['ID'],
  about: 'Stops a campaign that is being sent; the remaining recipients are skipped.',
  tool: 'stop_campaign',
  input: id,
  lines: ({ campaignId }) => [`Campaign ${campaignId} is stopped.`],
});

const retry = toolCommand({
  words: ['campaigns', 'retry'],
  parameters: ['ID'],
  about: 'Sends again to recipients whose mail was refused temporarily or could not be rendered.',
  options: { 'in-doubt': { about: 'also to recipients who may have received it already' } },
  tool: 'retry_campaign',
  input: (typed) => ({ ...id(typed), inDoubt: typed.has('in-doubt') }),
  lines: ({ campaignId, retried }) => [`Campaign ${campaignId} is sent again to ${pluralize(retried, 'recipient')}.`],
});

const watch = apiCommand({
  words: ['campaigns', 'watch'],
  parameters: ['ID'],
  about: 'Shows the progress of a campaign until it ends; with --json a line for each change.',
  run: async (typed, api, session) => await watchCampaign({ typed, api, session }, typed.parameters[0]!),
});

export const campaignCommands = [create, list, info, preview, send, pause, resume, stop, retry, watch];
