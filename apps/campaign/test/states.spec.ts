import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRequests, campaignStatuses } from '#contracts';
import type { RemoteFailure } from '#tool-call';
import type { CampaignStatus } from '../src/campaign/campaign.js';
import { Desk } from './campaign-fixture.js';

/** What happens to a campaign in each state: the state after it, and the refusal where there is one. */
const expected: Record<string, Partial<Record<CampaignStatus, string>> & { otherwise: string }> = {
  edit_campaign: { DRAFT: 'DRAFT', otherwise: 'CAMPAIGN_NOT_DRAFT' },
  update_campaign_filters: { DRAFT: 'DRAFT', otherwise: 'CAMPAIGN_NOT_DRAFT' },
  schedule_campaign: { DRAFT: 'SCHEDULED', otherwise: 'CAMPAIGN_NOT_DRAFT' },
  cancel_campaign_schedule: { SCHEDULED: 'DRAFT', otherwise: 'CAMPAIGN_NOT_SCHEDULED' },
  archive_campaign: { DRAFT: 'ARCHIVED', otherwise: 'CAMPAIGN_NOT_DRAFT' },
  unarchive_campaign: { ARCHIVED: 'DRAFT', otherwise: 'CAMPAIGN_NOT_ARCHIVED' },
  restore_campaign_history: {
    DRAFT: 'DRAFT',
    SCHEDULED: 'SCHEDULED',
    ARCHIVED: 'ARCHIVED',
    otherwise: 'CAMPAIGN_NOT_RESTORABLE',
  },
  control_campaign: { SENDING: 'SENDING', otherwise: 'CAMPAIGN_NOT_SENDING' },
  'the due time': { SCHEDULED: 'SENDING', otherwise: 'stays' },
  'send.finished SENT': { SENDING: 'SENT', otherwise: 'stays' },
  'send.finished FAILED': { SENDING: 'FAILED', otherwise: 'stays' },
};
const cells = Object.entries(expected).flatMap(([trigger, outcomes]) =>
  campaignStatuses.map((status) => [trigger, status, outcomes[status] ?? outcomes.otherwise] as const),
);

describe('a campaign', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.people(3);
  });
  afterAll(() => desk.close());

  async function campaignIn(status: CampaignStatus): Promise<string> {
    const { id } = await desk.draft();
    if (status === 'SCHEDULED') {
      await desk.tidings.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, desk.ours);
    }
    if (['SENDING', 'SENT', 'FAILED'].includes(status)) await desk.sendNow(id);
    if (status === 'SENT' || status === 'FAILED') await desk.finish(id, status);
    if (status === 'ARCHIVED') await desk.tidings.data('archive_campaign', { campaignId: id }, desk.ours);
    expect((await desk.get(id)).status).toBe(status);
    return id;
  }

  async function pull(trigger: string, id: string): Promise<string> {
    const call = async (tool: string, input: object) => {
      const outcome = await desk.tidings.call(tool, input, desk.ours);
      return outcome.ok ? (await desk.get(id)).status : outcome.error.reason!;
    };
    switch (trigger) {
      case 'edit_campaign':
        return await call(trigger, { id, subject: 'Other' });
      case 'update_campaign_filters':
        return await call(trigger, { campaignId: id, filters: [] });
      case 'restore_campaign_history': {
        const { entries } = await desk.tidings.data<{ entries: { id: string }[] }>(
          'list_campaign_history',
          { campaignId: id },
          desk.ours,
        );
        return await call(trigger, { campaignId: id, historyId: entries[0]!.id });
      }
      case 'control_campaign':
        return await desk.tidings
          .client(campaignRequests)
          .control_campaign({ campaignId: id, action: 'pause' }, desk.tidings.caller(desk.ours))
          .then(async () => (await desk.get(id)).status)
          .catch((error: unknown) => (error as RemoteFailure).failure.reason!);
      case 'the due time':
        await desk.age(id, `scheduled_at = clock_timestamp() - interval '1 second'`);
        await desk.startDue();
        return (await desk.get(id)).status;
      case 'send.finished SENT':
      case 'send.finished FAILED':
        await desk.age(id, `send_id = coalesce(send_id, gen_random_uuid())`);
        await desk.finish(id, trigger.endsWith('SENT') ? 'SENT' : 'FAILED');
        return (await desk.get(id)).status;
      default:
        return await call(trigger, { campaignId: id });
    }
  }

  it.each(cells)('%s while %s: %s', async (trigger, status, outcome) => {
    const id = await campaignIn(status);
    const after = await pull(trigger, id);
    expect(after).toBe(outcome === 'stays' ? status : outcome);
    if (outcome.startsWith('CAMPAIGN_')) expect((await desk.get(id)).status).toBe(status);
  });
});
