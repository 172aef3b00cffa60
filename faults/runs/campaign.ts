import { setTimeout as pause } from 'node:timers/promises';
import { connectBus, otherCells, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { campaignTools, deliveryRequests, domainRequests, importTools } from '#contracts';
import type { TestSystem } from '#testing';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import type { Progress, Unsent } from '../check/invariants.js';

/** One campaign of a fresh organization, driven from outside while the system is struck. */
export interface CampaignRun {
  organizationId: string;
  campaignId: string;
  recipients: string[];
}

const importRows = 500;
/** Nothing is judged before the campaign starts, on however busy a machine. */
const prepareMs = 120_000;
/** Events in flight when their consumer died are delivered again after 30 s. */
const factsWithinMs = 60_000;

/** A connection of the rig's own, into every cell; it mends itself when NATS comes back. */
export const rigBus = ({ environment, databaseName: namespace }: TestSystem): Promise<Bus> =>
  connectBus({ url: environment.NATS_URL!, namespace, cells: otherCells.parse(environment.CELLS), name: 'rig' });

const rig = (organizationId: string) => serviceCaller(organizationId, 'rig');

/** Makes an organization. @returns its id */
export async function createOrganization(bus: Bus, name: string): Promise<string> {
  const { organization } = await bus.client(domainRequests).create_organization({ name }, rig(''));
  return organization.id;
}

/** Makes an organization with `size` subscribers and a campaign to all of them. */
export async function prepareCampaign(bus: Bus, name: string, size: number): Promise<CampaignRun> {
  const organizationId = await createOrganization(bus, name);
  const recipients = Array.from({ length: size }, (_, n) => `person${n}.${name}@faults.internal`);
  for (let from = 0; from < size; from += importRows) {
    const rows = recipients.slice(from, from + importRows).map((email, n) => ({ email, name: `Person ${from + n}` }));
    await bus
      .client(importTools)
      .import_subscribers({ subscribers: rows }, serviceCaller(organizationId, 'rig', prepareMs));
  }
  return { organizationId, campaignId: await createCampaign(bus, organizationId, name), recipients };
}

/** Drafts a campaign to all subscribers. @returns its id */
export async function createCampaign(bus: Bus, organizationId: string, name: string): Promise<string> {
  const content = 'Hello {{name}}.\n\n[Unsubscribe]({{unsubscribeUrl}})';
  const draft = { name, subject: 'Hello {{firstName}}', contentType: 'MARKDOWN', content } as const;
  return (await bus.client(campaignTools).create_campaign(draft, rig(organizationId))).campaignId;
}

/** Sends it, now or at an instant. */
export async function schedule(
  bus: Bus,
  { organizationId, campaignId }: Pick<CampaignRun, 'organizationId' | 'campaignId'>,
  date?: string,
): Promise<void> {
  await bus.client(campaignTools).schedule_campaign({ campaignId, ...(date && { date }) }, rig(organizationId));
}

/** Asks as the gateway does, which makes calls again that only read. @throws Error with the refusal */
async function read(
  bus: Bus,
  organizationId: string,
  target: { service: string; name: string },
  input: object,
): Promise<unknown> {
  const outcome = await bus.request('tools', target, input, rig(organizationId), { changesNothing: true });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.data;
}

const readProgress = (bus: Bus, { organizationId, campaignId }: CampaignRun): Promise<Progress> =>
  retryUntilAnswered(
    'progress',
    async () =>
      (await read(
        bus,
        organizationId,
        { service: 'campaign', name: 'get_campaign_progress' },
        {
          campaignId,
        },
      )) as Progress,
    30_000,
  );

/** Waits until the campaign is over, or the time. @returns its last progress */
export async function awaitEnd(bus: Bus, run: CampaignRun, withinMs: number): Promise<Progress> {
  const end = Date.now() + withinMs;
  let progress = await readProgress(bus, run);
  while ((progress.status === 'SENDING' || progress.status === 'SCHEDULED') && Date.now() < end) {
    await pause(200);
    progress = await readProgress(bus, run);
  }
  return progress;
}

/**
 * Waits until the history contains every sent message. Both are read each time: a zombie's report may still turn a
 * message in doubt into a sent one. @returns the violation, or null
 */
export async function checkHistory(bus: Bus, run: CampaignRun): Promise<string | null> {
  const filters = [{ type: 'EVENT', field: 'EMAIL_SENT', operator: 'HAPPENED' }];
  const counting = { service: 'subscriber', name: 'count_subscribers' };
  const ask = async () => {
    const { sent } = await readProgress(bus, run);
    const { total } = (await read(bus, run.organizationId, counting, { filters })) as { total: number };
    if (total !== sent) throw new Error(`${total} of ${sent} sent messages are in the history`);
  };
  return await retryUntilAnswered('history', ask, factsWithinMs).then(
    () => null,
    (error: Error) => error.message,
  );
}

interface ListedAfter {
  sendId: string;
  states: string[];
  after: string | null;
  limit: number;
}

/** Every recipient without a confirmed send, by the system's own record. */
export async function listUnsent(bus: Bus, run: CampaignRun): Promise<Map<string, Unsent>> {
  const sendId = await retryUntilAnswered('send', () => findSend(bus, run), 30_000);
  const states = ['IN_DOUBT', 'SKIPPED', 'FAILED', 'BOUNCED', 'DEFERRED', 'HANDING_OVER', 'QUEUED'];
  const unsent = new Map<string, Unsent>();
  let after: string | null = null;
  do {
    const asked: ListedAfter = { sendId, states, after, limit: 1000 };
    const list = () => bus.client(deliveryRequests).list_send_messages(asked, rig(run.organizationId));
    const { messages, nextCursor } = await retryUntilAnswered('messages', list, 30_000);
    for (const { email, state, reason } of messages) unsent.set(email, { state, reason });
    after = nextCursor;
  } while (after !== null);
  return unsent;
}

async function findSend(bus: Bus, { organizationId, campaignId }: CampaignRun): Promise<string> {
  const { sends } = await bus.client(deliveryRequests).list_sends({}, rig(organizationId));
  const send = sends.find((one) => one.campaignId === campaignId);
  if (!send) throw new Error('the campaign has no send');
  return send.sendId;
}
