import { renderMail, yearIn } from '#content';
import { messageRequests, subscriberQueryTools, subscriberRequests } from '#contracts';
import type { Args, campaignTools, Filter, PageRecipient } from '#contracts';
import { newUuid } from '#database';
import { emailKey, parseAddress } from '#email-address';
import { RemoteFailure } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import { previewLinks } from '../content/content.js';
import { assertSender, parameterProblem } from './campaign.js';
import type { Campaign } from './campaign.js';
import { getMail } from './campaign.service.js';
import type { CampaignDependencies } from './campaign.service.js';
import type { SenderClient } from '../sender/sender.client.js';

type Testing = Pick<Handlers<typeof campaignTools>, 'send_test_email'>;
type TestArgs = Args<(typeof campaignTools)['calls']['send_test_email']>;

/** Returns each address once, as first given. @throws ToolError PARAMETERS_INVALID for an invalid address */
function addressesOf({ emails }: TestArgs): string[] {
  const byKey = new Map<string, string>();
  for (const [index, email] of emails.entries()) {
    const parsed = parseAddress(email);
    if (!parsed.ok) throw parameterProblem(['emails', index], `the address ${parsed.reason}`);
    const key = emailKey(parsed.address);
    if (!byKey.has(key)) byKey.set(key, email);
  }
  return [...byKey.values()];
}

/**
 * Returns the subscriber whose copy a test shows: the newest one in the campaign's audience, else the newest of all,
 * else null.
 * @throws the refusal of a conditional block with a deleted filter target, since the send would fail by it
 */
async function findSample(
  { filters: audience }: Campaign,
  showIf: Filter[][],
  { bus, caller }: { bus: CampaignDependencies['bus']; caller: Caller },
): Promise<PageRecipient | null> {
  const one = { status: 'SUBSCRIBED' as const, limit: 1, fields: ['id' as const] };
  const newest = async (filters: Filter[]) =>
    (await bus.client(subscriberQueryTools).query_subscribers({ ...one, filters }, caller)).subscribers;
  // Scheduling reports invalid filters; they need not prevent a test.
  const meant = await newest(audience).catch(none('FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'));
  const [sample = (await newest([]))[0]] = meant ?? [];
  if (!sample?.id) return null;
  const asked = { subscriberId: sample.id, showIf };
  const answer = await bus.client(subscriberRequests).get_recipient(asked, caller).catch(none('SUBSCRIBER_NOT_FOUND'));
  return answer && answer.recipient;
}

/** Returns null for refusals with these reasons; rethrows other errors. */
const none =
  (...reasons: string[]) =>
  (error: unknown): null => {
    if (error instanceof RemoteFailure && reasons.includes(error.failure.reason ?? '')) return null;
    throw error;
  };

/** Returns the sender; an email of a workflow without one uses the organization's usual sender. */
const findSender = ({ isInternal, senderId }: Campaign, senders: SenderClient, caller: Caller) =>
  isInternal && senderId === null ? senders.findUsual(caller) : senders.find(senderId, caller);

export const testingHandlers = (parts: CampaignDependencies): Testing => ({
  send_test_email: async (args, caller) => {
    const addresses = addressesOf(args);
    const { composer, senders, bus } = parts;
    const campaign = await getMail(parts, args.campaignId, caller);
    const sender = await findSender(campaign, senders, caller);
    assertSender(sender);
    const snippets = await composer.snippets(campaign, caller);
    const { template, organization } = await composer.compose(campaign, snippets, caller);
    const sample = await findSample(campaign, template.showIf as Filter[][], { bus, caller });
    const delivery = bus.client(messageRequests);
    const send = async (email: string) => {
      const { subject, html, text } = renderMail(template, {
        values: sample ? { ...sample.values, email: sample.email } : { email },
        placeholders: sample === null,
        ...(sample && { shows: sample.shows }),
        links: previewLinks,
        currentYear: yearIn(organization.timezone, caller.now),
      });
      const from = { senderId: sender.id, replyTo: campaign.replyTo };
      const mail = { ...from, email, html, text, subject: `[Test] ${subject}` };
      return await delivery.queue_test({ ...mail, sourceKey: `test:${newUuid()}` }, caller);
    };
    const renderedFor = sample && { id: sample.subscriberId, email: sample.email };
    return { results: await inOrder(addresses, send), renderedFor };
  },
});

/** Sends the copies one after the other. @throws the guard's refusal when it refuses all of them */
async function inOrder(addresses: string[], send: (email: string) => Promise<{ messageId: string }>) {
  const results: { email: string; status: 'QUEUED' | 'REFUSED'; messageId: string | null; error?: string }[] = [];
  let refusal: unknown = null;
  for (const email of addresses) {
    try {
      results.push({ email, status: 'QUEUED', ...(await send(email)) });
    } catch (error) {
      if (!(error instanceof RemoteFailure) || error.failure.code !== 'RECIPIENT_GUARD') throw error;
      refusal = error;
      results.push({ email, status: 'REFUSED', messageId: null, error: error.failure.message });
    }
  }
  if (results.every(({ status }) => status === 'REFUSED')) throw refusal;
  return results;
}
