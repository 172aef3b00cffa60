import { beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRequests, campaignStatuses } from '#contracts';
import type { RemoteFailure } from '#tool-call';
import type { CampaignStatus } from '../src/campaign/campaign.js';
import { CampaignFixture } from './campaign-fixture.js';
import { useFixture } from '../../../test/harness/use-fixture.js';

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
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(3);
  });

  async function campaignIn(status: CampaignStatus): Promise<string> {
    const { id } = await fixture.draft();
    if (status === 'SCHEDULED') {
      await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
    }
    if (['SENDING', 'SENT', 'FAILED'].includes(status)) await fixture.sendNow(id);
    if (status === 'SENT' || status === 'FAILED') await fixture.finish(id, status);
    if (status === 'ARCHIVED') await fixture.harness.data('archive_campaign', { campaignId: id }, fixture.tenant);
    expect((await fixture.get(id)).status).toBe(status);
    return id;
  }

  async function pull(trigger: string, id: string): Promise<string> {
    const call = async (tool: string, input: object) => {
      const outcome = await fixture.harness.call(tool, input, fixture.tenant);
      return outcome.ok ? (await fixture.get(id)).status : outcome.error.reason!;
    };
    switch (trigger) {
      case 'edit_campaign':
        return await call(trigger, { id, subject: 'Other' });
      case 'update_campaign_filters':
        return await call(trigger, { campaignId: id, filters: [] });
      case 'restore_campaign_history': {
        const { entries } = await fixture.harness.data<{ entries: { id: string }[] }>(
          'list_campaign_history',
          { campaignId: id },
          fixture.tenant,
        );
        return await call(trigger, { campaignId: id, historyId: entries[0]!.id });
      }
      case 'control_campaign':
        return await fixture.harness
          .client(campaignRequests)
          .control_campaign({ campaignId: id, action: 'pause' }, fixture.harness.caller(fixture.tenant))
          .then(async () => (await fixture.get(id)).status)
          .catch((error: unknown) => (error as RemoteFailure).failure.reason!);
      case 'the due time':
        await fixture.age(id, `scheduled_at = clock_timestamp() - interval '1 second'`);
        await fixture.startDue();
        return (await fixture.get(id)).status;
      case 'send.finished SENT':
      case 'send.finished FAILED':
        await fixture.age(id, `send_id = coalesce(send_id, gen_random_uuid())`);
        await fixture.finish(id, trigger.endsWith('SENT') ? 'SENT' : 'FAILED');
        return (await fixture.get(id)).status;
      default:
        return await call(trigger, { campaignId: id });
    }
  }

  it.each(cells)('%s while %s: %s', async (trigger, status, outcome) => {
    const id = await campaignIn(status);
    const after = await pull(trigger, id);
    expect(after).toBe(outcome === 'stays' ? status : outcome);
    if (outcome.startsWith('CAMPAIGN_')) expect((await fixture.get(id)).status).toBe(status);
  });
});
