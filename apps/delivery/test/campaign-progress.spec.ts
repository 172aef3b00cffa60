import { describe, expect, it } from '@jest/globals';
import type { LiveUpdate } from '#contracts';
import { until } from '#testing';
import { people, SendFixture } from './send-fixture.js';

describe('the progress of a send', () => {
  const world = SendFixture.ofSuite({}, 1);

  it('is published at most once a second while messages go out, and at the end, as get_campaign_progress counts', async () => {
    const updates: { update: LiveUpdate; atMs: number }[] = [];
    world.tidings.bus.onBroadcast<LiveUpdate>('ui', (update) => {
      if (update.name === 'campaign.progress') updates.push({ update, atMs: Date.now() });
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(400)));
    world.engine((await world.relay({ throttle: 150 })).url);
    let isOver = false;
    const delivering = (async () => {
      while (!isOver) await world.tidings.deliverEvents();
    })();
    const progress = await world.finished(send);
    await until('the end is published', () => updates.at(-1)?.update.numbers?.pending === 0);
    isOver = true;
    await delivering;
    const { total, pending, sent, delivered, bounced, failed, skipped, inDoubt } = progress;
    expect(updates.at(-1)!.update).toEqual({
      name: 'campaign.progress',
      id: send.campaignId,
      organization: tenant.organizationId,
      at: expect.any(String),
      numbers: expect.objectContaining({
        total,
        pending,
        sent,
        delivered,
        bounced,
        failed,
        skipped,
        inDoubt,
        percent: 100,
      }),
    });
    expect(updates.length).toBeGreaterThanOrEqual(2);
    for (let n = 1; n < updates.length; n++)
      expect(updates[n]!.atMs - updates[n - 1]!.atMs).toBeGreaterThanOrEqual(990);
  });
});
