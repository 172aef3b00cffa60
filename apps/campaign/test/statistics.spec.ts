import { describe, expect, it } from '@jest/globals';
import type { EventData } from '#contracts';
import { newId, newSendUuid, uuidOf, wireId } from '#database';
import { settledData } from '#events';
import { CampaignFixture } from './campaign-fixture.js';
import { useFixture } from '../../../test/harness/use-fixture.js';

describe('the numbers of a campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const about = (
    campaignId: string | null,
    change: { at?: string; simulated?: boolean } = {},
  ): EventData<'message.sent'> => ({
    messageId: newId('msg'),
    subscriberId: newId('sub'),
    campaignId,
    campaignName: 'Spring news',
    subject: 'Hello',
    email: 'ada@example.com',
    at: '2026-05-01T10:15:00.000Z',
    simulated: false,
    ...change,
  });
  const person = { machine: false, userAgent: null };
  const click = (campaignId: string, url: string, first: boolean, firstOfLink: boolean) => ({
    ...about(campaignId),
    ...person,
    url,
    first,
    firstOfLink,
  });
  const rows = (table: string, campaignId: string, columns: string) =>
    fixture.harness
      .dataSource('campaign')
      .query<Record<string, unknown>[]>(
        `select ${columns} from ${table} where campaign_id = $1 group by campaign_id${table === 'campaign_stat' ? '' : ', 1'} order by 1`,
        [uuidOf('cmp', campaignId)],
      );

  it('add up what happened to its messages, simulated ones too, each event once', async () => {
    const id = newId('cmp');
    await fixture.hear('message.sent', [about(id), about(id, { simulated: true }), about(newId('cmp')), about(null)]);
    await fixture.hear('message.delivered', [about(id), about(id, { simulated: true })]);
    const bounce = { bounceCategory: 'OTHER' as const, reason: '', provider: null, status: null };
    await fixture.hear('message.bounced', [{ ...about(id), ...bounce, bounceType: 'HARD' }]);
    await fixture.hear('message.bounced', [{ ...about(id), ...bounce, bounceType: 'SOFT' }]);
    await fixture.hear('message.opened', [
      { ...about(id), ...person, first: true },
      { ...about(id), ...person, first: false },
      { ...about(id), ...person, first: true, machine: true },
    ]);
    await fixture.hear('message.clicked', [click(id, 'https://a.example/', true, true)]);
    const left: EventData<'subscriber.unsubscribed'> = {
      subscriberId: newId('sub'),
      subscriberStatus: 'UNSUBSCRIBED',
      triggerWorkflows: true,
      campaignId: id,
      occurredAt: '2026-05-01T10:15:00.000Z',
      cause: { kind: 'link', id: null },
      reason: null,
      source: 'one-click',
      messageId: null,
    };
    await fixture.hear('subscriber.unsubscribed', [left, { ...left, again: true }]);
    const sums = [
      'sent',
      'delivered',
      'hard',
      'soft',
      'opens',
      'unique_opens',
      'machine_opens',
      'clicks',
      'unique_clicks',
    ]
      .concat('unsubscribed')
      .map((column) => `sum(${column})::int as ${column}`);
    expect(await rows('campaign_stat', id, sums.join(', '))).toEqual([
      {
        sent: 2,
        delivered: 2,
        hard: 1,
        soft: 1,
        opens: 2,
        unique_opens: 1,
        machine_opens: 1,
        clicks: 1,
        unique_clicks: 1,
        unsubscribed: 1,
      },
    ]);
  });

  it('count groups of settled messages in any order with single events', async () => {
    const id = newId('cmp');
    const group = (chunk: number) =>
      settledData(
        { sendId: wireId('send', newSendUuid()), campaignId: id, chunk, at: '2026-05-01T10:15:00.000Z' },
        (['DELIVERED', 'DELIVERED', 'SENT', 'DEFERRED', 'FAILED'] as const).map((outcome, position) => {
          const message = { position, outcome, variant: null, destination: 'other', subjectValues: null };
          return { ...message, subscriberId: newId('sub'), simulated: position === 0 };
        }),
      );
    await fixture.hear('messages.settled', [group(0), group(1)]);
    await fixture.hear('message.sent', [about(id)]);
    expect(
      await rows(
        'campaign_stat',
        id,
        'sum(sent)::int as sent, sum(delivered)::int as delivered, sum(hard)::int as hard',
      ),
    ).toEqual([{ sent: 7, delivered: 4, hard: 0 }]);
  });

  it('are kept by hour and by link for people', async () => {
    const id = newId('cmp');
    const opened = (at: string, machine = false) => ({ ...about(id, { at }), ...person, machine, first: true });
    await fixture.hear('message.opened', [
      opened('2026-05-01T10:59:59.999Z'),
      opened('2026-05-01T11:00:00.000Z'),
      opened('2026-05-01T11:30:00.000Z'),
      opened('2026-05-01T12:00:00.000Z', true),
    ]);
    await fixture.hear('message.clicked', [
      click(id, 'https://a.example/', true, true),
      click(id, 'https://a.example/', false, false),
      click(id, 'https://b.example/', false, true),
      { ...click(id, 'https://b.example/', true, true), machine: true },
    ]);
    expect(await rows('campaign_hour', id, 'hour, sum(opens)::int as opens, sum(clicks)::int as clicks')).toEqual([
      { hour: new Date('2026-05-01T10:00:00Z'), opens: 1, clicks: 3 },
      { hour: new Date('2026-05-01T11:00:00Z'), opens: 2, clicks: 0 },
    ]);
    expect(
      await rows('campaign_link', id, 'url, sum(clicks)::int as clicks, sum(unique_clicks)::int as people'),
    ).toEqual([
      { url: 'https://a.example/', clicks: 2, people: 1 },
      { url: 'https://b.example/', clicks: 1, people: 1 },
    ]);
  });
});
