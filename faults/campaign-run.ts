import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { campaignTools, deliveryRequests, domainRequests, subscriberTools, transferTools } from '#contracts';
import type { SendProgress } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { SmtpSink, TestSystem } from '#testing';
import pg from 'pg';

/** One campaign of a fresh organization, driven from outside while the system is struck. */
export interface CampaignRun {
  organizationId: string;
  campaignId: string;
  recipients: string[];
}

/** What the sink and the system said in the end. */
export interface Verdict {
  accepted: number;
  duplicates: number;
  inDoubt: number;
  skipped: number;
  /** Addresses that got nothing and are listed nowhere. */
  lost: string[];
  finished: boolean;
  /** progress: total = sent + failed + skipped + in doubt + pending. */
  sums: boolean;
  problems: string[];
}

/** Runs a question until it is answered: the system may be struck at any moment. */
export async function insist<T>(what: string, ask: () => Promise<T>, withinMs: number): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what}: ${String(error)}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** A connection of the rig's own; it mends itself when NATS comes back. */
export const rigBus = (system: TestSystem): Promise<Bus> =>
  connectBus({ url: system.environment.NATS_URL!, namespace: system.databaseName, name: 'rig' });

/** Makes an organization with `size` subscribers and a campaign to all of them, and sends it. */
export async function startCampaign(bus: Bus, name: string, size: number): Promise<CampaignRun> {
  const anywhere = () => serviceCaller('', `rig ${name}`);
  const { organization } = await bus.client(domainRequests).create_organization({ name }, anywhere());
  const caller = () => serviceCaller(organization.id, `rig ${name}`);
  const recipients = Array.from({ length: size }, (_, n) => `person${n}.${name}@faults.internal`);
  for (let from = 0; from < size; from += 500) {
    const subscribers = recipients.slice(from, from + 500).map((email, n) => ({ email, name: `Person ${from + n}` }));
    await bus.client(transferTools).import_subscribers({ subscribers }, caller());
  }
  const campaigns = bus.client(campaignTools);
  const { campaignId } = await campaigns.create_campaign(
    {
      name,
      subject: 'Hello {{firstName}}',
      contentType: 'MARKDOWN',
      content: 'Hello {{name}}.\n\n[Unsubscribe]({{unsubscribeUrl}})',
    },
    caller(),
  );
  await campaigns.schedule_campaign({ campaignId }, caller());
  return { organizationId: organization.id, campaignId, recipients };
}

/** Waits for the campaign's end and holds what the sink counted against what the system tells. */
export async function judge(
  { system, bus, sink, run }: { system: TestSystem; bus: Bus; sink: SmtpSink; run: CampaignRun },
  withinMs: number,
): Promise<Verdict> {
  const caller = () => serviceCaller(run.organizationId, 'rig judge');
  const end = Date.now() + withinMs;
  const read = () => bus.client(campaignTools).get_campaign_progress({ campaignId: run.campaignId }, caller());
  let progress = await insist('progress', read, withinMs);
  while (progress.status === 'SENDING' && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    progress = await insist('progress', read, 30_000);
  }
  const unsent = await listUnsent(system, bus, run);
  const counts = run.recipients.map((email) => sink.counts.get(email) ?? 0);
  const skipped = Object.values(progress.skipped).reduce((sum, n) => sum + n, 0);
  const lost = run.recipients.filter((email, n) => counts[n] === 0 && !unsent.has(email));
  const sentInHistory = { type: 'EVENT', field: 'EMAIL_SENT', operator: 'HAPPENED' };
  const received = () => bus.client(subscriberTools).count_subscribers({ filters: [sentInHistory] }, caller());
  const expected = progress.sent;
  const facts = await insist(
    'facts',
    async () => {
      const { total } = await received();
      if (total !== expected) throw new Error(`${total} of ${expected} sent messages are in the history`);
      return total;
    },
    30_000,
  ).catch((error: unknown) => String(error));
  return {
    accepted: counts.reduce((sum, n) => sum + n, 0),
    duplicates: counts.reduce((sum, n) => sum + Math.max(0, n - 1), 0),
    inDoubt: progress.inDoubt,
    skipped,
    lost,
    finished: progress.status === 'SENT',
    sums: sumsUp(progress, skipped),
    problems: typeof facts === 'string' ? [facts] : [],
  };
}

const sumsUp = (progress: Pick<SendProgress, 'total' | 'sent' | 'failed' | 'inDoubt' | 'pending'>, skipped: number) =>
  progress.total === progress.sent + progress.failed + skipped + progress.inDoubt + progress.pending;

/** Everybody the system itself says it did not surely send to: in doubt, skipped, failed. */
async function listUnsent(system: TestSystem, bus: Bus, run: CampaignRun): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: system.environment.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query<{ send_id: string }>(
    `select send_id from campaign.campaign where campaign_id = $1`,
    [uuidOf('cmp', run.campaignId)],
  );
  await client.end();
  const sendId = wireId('send', rows[0]!.send_id);
  const found = new Set<string>();
  for (let after: string | null = null; ;) {
    const page: { messages: { email: string }[]; nextCursor: string | null } = await bus
      .client(deliveryRequests)
      .list_send_messages(
        {
          sendId,
          states: ['IN_DOUBT', 'SKIPPED', 'FAILED', 'BOUNCED', 'DEFERRED', 'HANDING_OVER', 'QUEUED'],
          after,
          limit: 1000,
        },
        serviceCaller(run.organizationId, 'rig'),
      );
    page.messages.forEach(({ email }) => found.add(email));
    if (page.nextCursor === null) return found;
    after = page.nextCursor;
  }
}
