import type { ServiceBus } from '#bus';
import type { Snippet } from '#content';
import { subscriberRequests } from '#contracts';
import type { Filter, PageRecipient, SenderFacts } from '#contracts';
import { boundedDifferences, boundedFacts, requestHash, textDifferences, valueDifferences } from '#tool-call';
import type { Caller, Description, Difference } from '#tool-call';
import { localTime } from '../schedule/schedule.js';
import type { Mail } from '../content/content.js';
import type { ComposedMail } from '../content/mail-composer.service.js';
import type { Campaign } from './campaign.js';
import { senderText } from './campaign.js';
import type { CampaignDependencies } from './campaign.service.js';
import { findSample, renderSample } from './sample-mail.service.js';

interface ComposedSend extends ComposedMail {
  snippets: Record<string, Snippet>;
}

/**
 * Hashes what would go out: mail, sender and filters, with the definitions of all segments that they include. The mail
 * counts as its sources, since another release may compile the same sources to other HTML.
 * @param sender null once it was deleted
 * @returns SHA-256 (hex) of canonical JSON
 */
export async function hashSend(
  bus: ServiceBus,
  { subject, preview, content, contentType, replyTo, filters }: Mail & Pick<Campaign, 'replyTo' | 'filters'>,
  { composed, sender }: { composed: ComposedSend; sender: SenderFacts | null },
  caller: Caller,
): Promise<string> {
  const { list_segment_definitions: list } = bus.client(subscriberRequests);
  const { template, organization, snippets } = composed;
  const lists = [filters, ...(template.showIf as Filter[][])].filter(({ length }) => length > 0);
  const segments = await Promise.all(lists.map(async (one) => (await list({ filters: one }, caller)).segments));
  return requestHash({
    mail: { subject, preview, content, contentType },
    snippets: Object.fromEntries(Object.entries(snippets).map(([id, snippet]) => [id, snippet.content])),
    organization: { name: organization.name, address: organization.address },
    sender: sender && { id: sender.id, email: sender.email, displayName: sender.displayName },
    replyTo: replyTo ?? sender?.replyTo ?? null,
    filters,
    segments: Object.fromEntries(segments.flat().map(({ id, filters: own }) => [id, own])),
  });
}

export async function composeSend(
  { composer }: Pick<CampaignDependencies, 'composer'>,
  mail: Mail,
  caller: Caller,
): Promise<ComposedSend> {
  const snippets = await composer.snippets(mail, caller);
  return { ...(await composer.compose(mail, snippets, caller)), snippets };
}

/** What an approval binds: what goes out, when, and whether it goes out since a hold ended. */
const boundContent = (hash: string, at: Date | null, { heldAt }: Pick<Campaign, 'heldAt'>) => ({
  hash,
  at: at?.toISOString() ?? null,
  ...(heldAt && { heldAt: heldAt.toISOString() }),
});

/** What approving a send of a campaign would send: the facts, the mail as a sample recipient gets it, and its hash. */
export async function describeSend(
  parts: CampaignDependencies,
  campaign: Campaign,
  plan: { sender: SenderFacts; total: number; at: Date | null; timezone: string },
  caller: Caller,
): Promise<Pick<Description, 'facts' | 'content' | 'count' | 'preview'>> {
  const { sender, total, at, timezone } = plan;
  const composed = await composeSend(parts, campaign, caller);
  const hash = await hashSend(parts.bus, campaign, { composed, sender }, caller);
  const sample = await findSample(campaign, composed.template.showIf as Filter[][], { bus: parts.bus, caller });
  const replyTo = campaign.replyTo ?? sender.replyTo;
  const { segments } = await parts.bus
    .client(subscriberRequests)
    .list_segment_definitions({ filters: campaign.filters }, caller);
  return {
    facts: boundedFacts([
      { label: 'Subscribers', value: String(total) },
      { label: 'Time', value: at ? localTime(at, timezone) : 'now' },
      { label: 'Sender', value: senderText(sender) },
      ...(replyTo ? [{ label: 'Reply to', value: replyTo }] : []),
      ...segments.map(({ name, filters }) => ({ label: 'Segment', value: `${name}: ${JSON.stringify(filters)}` })),
    ]),
    content: boundContent(hash, at, campaign),
    count: total,
    preview: previewOf(composed, sample, caller),
  };
}

/** What restoring a mail into a campaign would change in what a sample recipient gets. */
export async function describeRestore(
  parts: CampaignDependencies,
  { read, restored }: { read: Campaign; restored: Campaign },
  caller: Caller,
): Promise<Pick<Description, 'facts' | 'content' | 'count' | 'preview' | 'diff'>> {
  const [before, after] = [await composeSend(parts, read, caller), await composeSend(parts, restored, caller)];
  const showIf = (one: typeof before) => one.template.showIf as Filter[][];
  const sample = await findSample(read, showIf(after), { bus: parts.bus, caller });
  // Its conditional blocks are other ones: the present mail is filled for the same recipient.
  const former = await findSample(read, showIf(before), { bus: parts.bus, caller });
  const preview = previewOf(after, sample, caller);
  const sender = await parts.senders.find(read.senderId, caller);
  const hash = await hashSend(parts.bus, restored, { composed: after, sender }, caller);
  const { filters } = read;
  const { total } = await parts.bus.client(subscriberRequests).count_recipients({ filters }, caller);
  return {
    facts: [
      { label: 'Subscribers', value: String(total) },
      { label: 'Time', value: localTime(read.scheduledAt!, read.timezone!) },
    ],
    content: boundContent(hash, read.scheduledAt, read),
    count: total,
    preview,
    diff: boundedDifferences(mailDifferences(previewOf(before, former, caller), preview)),
  };
}

function previewOf(
  composed: Awaited<ReturnType<typeof composeSend>>,
  sample: PageRecipient | null,
  { now }: Caller,
): NonNullable<Description['preview']> {
  const { subject, preview, html, text } = renderSample(composed, sample, { now });
  return { subject, preview, html, text, renderedFor: sample?.email ?? null };
}

type Shown = Pick<NonNullable<Description['preview']>, 'subject' | 'preview' | 'text'>;

const mailDifferences = (before: Shown, after: Shown): Difference[] => [
  ...valueDifferences(
    { subject: before.subject, preview: before.preview },
    { subject: after.subject, preview: after.preview },
  ),
  ...textDifferences('text', before.text, after.text),
];
