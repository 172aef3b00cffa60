import { renderMail, yearIn } from '#content';
import { deliveryRequests } from '#contracts';
import type { Args, campaignTools } from '#contracts';
import { newUuid } from '#database';
import { emailKey, parseAddress } from '#email-address';
import { RemoteFailure } from '#tool-call';
import type { Handlers } from '#tool-call';
import { previewLinks } from '../content/content.js';
import { assertSender, parameterProblem } from './campaign.js';
import type { CampaignParts } from './campaign.parts.js';

type Testing = Pick<Handlers<typeof campaignTools>, 'send_test_email'>;
type TestArgs = Args<(typeof campaignTools)['calls']['send_test_email']>;

/** Each address once, as it was first given. @throws ToolError PARAMETERS_INVALID for what is none */
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

export const testingHandlers = ({ campaigns, composer, senders, bus }: CampaignParts): Testing => ({
  send_test_email: async (args, caller) => {
    const addresses = addressesOf(args);
    const campaign = await campaigns.get(caller.organizationId, args.campaignId);
    const sender = await senders.find(campaign.senderId, caller);
    assertSender(sender);
    const snippets = await composer.snippets(campaign, caller);
    const { template, organization } = await composer.compose(campaign, snippets, caller);
    const delivery = bus.client(deliveryRequests);
    const send = async (email: string) => {
      const mail = renderMail(template, {
        values: { email },
        placeholders: true,
        links: previewLinks,
        currentYear: yearIn(organization.timezone, caller.now),
      });
      const { html, text } = mail;
      const asked = {
        sourceKey: `test:${newUuid()}`,
        senderId: sender.id,
        replyTo: campaign.replyTo,
        email,
        html,
        text,
      };
      return await delivery.queue_test({ ...asked, subject: `[Test] ${mail.subject}` }, caller);
    };
    return { results: await inOrder(addresses, send) };
  },
});

/** Sends one after the other. @throws the guard's refusal when it refuses all of them */
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
