import { messageRequests } from '#contracts';
import type { Args, campaignTools, Filter } from '#contracts';
import { newUuid } from '#database';
import { emailKey, parseAddress } from '#email-address';
import { RemoteFailure } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import { assertSender, parameterProblem } from './campaign.js';
import type { Campaign } from './campaign.js';
import { getMail } from './campaign.service.js';
import type { CampaignDependencies } from './campaign.service.js';
import { findSample, renderSample } from './sample-mail.service.js';
import type { SenderClient } from '../sender/sender.client.js';

type Testing = Pick<Handlers<typeof campaignTools>, 'send_test_email'>;
type TestArgs = Args<(typeof campaignTools)['calls']['send_test_email']>;

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
      const { subject, html, text } = renderSample({ template, organization }, sample, {
        ...(!sample && { email }),
        now: caller.now,
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
