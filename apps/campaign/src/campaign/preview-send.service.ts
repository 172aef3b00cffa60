import { audiencePreviewRequests, deliveryRequests, sendRateRequests } from '#contracts';
import type { Args, campaignReportTools, Data, SenderFacts } from '#contracts';
import { isUnanswered, quotaOf, RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { Temporal } from 'temporal-polyfill';
import { sendSentence } from './campaign-scheduling.tools.js';
import { assertSender } from './campaign.js';
import type { Campaign } from './campaign.js';
import type { CampaignDependencies } from './campaign.service.js';
import { getCampaign } from './campaign.service.js';

type Tool = (typeof campaignReportTools)['calls']['preview_send'];
type Preview = Data<Tool>;

const relayId = 'default';

/** Computes what a send would do now or at its schedule: recipients, who is left out, and what would prevent it. */
export async function previewSend(
  dependencies: CampaignDependencies,
  { campaignId, examples }: Args<Tool>,
  caller: Caller,
): Promise<Preview> {
  const { bus, senders, settings } = dependencies;
  const read = await getCampaign(dependencies, campaignId, caller);
  if (read.status !== 'DRAFT' && read.status !== 'SCHEDULED')
    throw new ToolError('CAMPAIGN_NOT_DRAFT', { status: read.status });
  const [audience, sender, ratePerSecond, { timezone }] = await Promise.all([
    bus.client(audiencePreviewRequests).preview_audience({ filters: read.filters, examples }, caller),
    senders.find(read.senderId, caller),
    findRate(dependencies, caller),
    settings.find(caller),
  ]);
  const { total, excluded, destinations } = audience;
  const at = read.scheduledAt ?? caller.now;
  const date = Temporal.Instant.from(at.toISOString()).toZonedDateTimeISO(timezone).toPlainDate().toString();
  return {
    message: sendSentence(read, { at: read.scheduledAt, timezone: read.timezone ?? timezone, total, sender }),
    recipientCount: total,
    excluded,
    waves: [{ at: at.toISOString(), count: total }],
    relays: [{ relayId, count: total, days: [{ date, count: total }] }],
    destinations,
    duration: { seconds: ratePerSecond && Math.ceil(total / ratePerSecond), ratePerSecond },
    warnings: [
      ...audience.warnings.map((message) => ({ code: 'FILTER_VALUE', message })),
      ...(await obstacles(dependencies, { read, sender, total }, caller)),
    ],
  };
}

/** The rate of earlier sends; null also while the delivery service does not answer, since it is an estimate only. */
async function findRate({ bus }: CampaignDependencies, caller: Caller): Promise<number | null> {
  try {
    return (await bus.client(sendRateRequests).get_send_rate({}, caller)).ratePerSecond;
  } catch (error) {
    if (error instanceof RemoteFailure && isUnanswered(error.failure)) return null;
    throw error;
  }
}

async function obstacles(
  { bus, composer }: CampaignDependencies,
  { read, sender, total }: { read: Campaign; sender: SenderFacts | null; total: number },
  caller: Caller,
): Promise<Preview['warnings']> {
  const found: Preview['warnings'] = [];
  const check = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      found.push(warningOf(error));
    }
  };
  await check(() => assertSender(sender));
  await check(() => {
    if (total === 0) throw new ToolError('NO_RECIPIENTS', {});
  });
  await check(async () => {
    const snippets = await composer.snippets(read, caller);
    await check(async () => {
      if (!(await composer.content.hasUnsubscribeLink(read, snippets, caller)))
        throw new ToolError('UNSUBSCRIBE_LINK_MISSING', {});
    });
    await composer.references(read, caller, { stored: true });
    const composed = await composer.compose(read, snippets, caller);
    found.push(...(await composer.warnings(composed, caller)).map(({ code, message }) => ({ code, message })));
  });
  if (quotaOf(caller, 'mailsPerMonth') !== null)
    await check(() => bus.client(deliveryRequests).assert_mails_fit({ asked: total }, caller));
  return found;
}

function warningOf(error: unknown): { code: string; message: string } {
  if (error instanceof ToolError) return { code: error.reason, message: error.message };
  if (error instanceof RemoteFailure && error.failure.reason && !isUnanswered(error.failure))
    return { code: error.failure.reason, message: error.failure.message };
  throw error;
}
