import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { uuidOf, wireId } from '#database';
import { createLogger } from '#observability';
import { testLogLevel, until } from '#testing';
import { SendRepository } from '../../src/send/send.repository.js';
import { releaseAudiences } from '../../src/send/audience-release.job.js';
import { rolledBack } from '../../../../test/harness/rolled-back.js';
import { busWith, CampaignFixture, doc, paragraph, shownTo, unsubscribeFooter } from '../campaign-fixture.js';

const log = createLogger('campaign', testLogLevel);

/** A promise and what settles it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('the start of a send', () => {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
    await fixture.people(700, 'customer');
  });
  afterAll(() => fixture.close());

  const scheduled = async (change: object = {}) => {
    const { id } = await fixture.draft(change);
    await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
    return id;
  };
  const tagged = (...tagNames: string[]) => [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames }];
  const sends = (campaignId: string) =>
    fixture
      .row(campaignId)
      .then(({ campaign_id }) =>
        fixture.harness
          .dataSource('delivery')
          .query<Record<string, unknown>[]>('select * from send where campaign_id = $1', [campaign_id]),
      );
  const audiences = () =>
    fixture.harness.dataSource('subscriber').query<{ audience_id: string }[]>('select * from audience where pages > 0');
  const leaseEnds = (campaignId: string) => fixture.age(campaignId, 'lease_until = clock_timestamp()');

  it('starts a due campaign once, with every matching subscriber frozen', async () => {
    const id = await scheduled({ replyTo: 'ada@acme.example' });
    await fixture.startDue();
    await fixture.startDue();
    const row = await fixture.row(id);
    expect(row).toMatchObject({ status: 'SENDING', attempts: 1, recipient_count: 700, waiting_for: null });
    const [send, ...more] = await sends(id);
    expect(more).toEqual([]);
    expect(send).toMatchObject({ send_id: row.send_id, audience_id: row.audience_id, total: 700, pages: 2 });
    expect(send).toMatchObject({
      campaign_name: 'Spring news',
      organization_name: 'Ours',
      reply_to: 'ada@acme.example',
    });
  });

  it('freezes conditional blocks by what they name, so that a rename during the send changes nothing', async () => {
    const id = await scheduled({ content: doc(paragraph('for customers', shownTo('customer')), unsubscribeFooter) });
    await fixture.startDue();
    const [send] = await sends(id);
    expect(send!.template).toMatchObject({ showIf: [[{ type: 'TAG', tagIds: [expect.stringMatching(/^tag_/)] }]] });
  });

  it('takes over a conditional block that was saved with a country that fits none', async () => {
    const shown = { showIf: [{ type: 'STRING', field: 'country', operator: 'EQUALS', value: 'FR' }] };
    const { id } = await fixture.draft({ content: doc(paragraph('for the French', shown), unsubscribeFooter) });
    await fixture.age(id, `content = replace(content::text, '"FR"', '"Oz"')::jsonb`);
    await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
    await fixture.startDue();
    expect((await sends(id))[0]!.template).toMatchObject({ showIf: [[{ field: 'country', value: 'Oz' }]] });
  });

  it('counts opens and clicks as the organization has it, and fails a campaign that a full month refuses', async () => {
    const { organizationId } = fixture.tenant;
    const set = (change: object) =>
      fixture.harness
        .client(domainRequests)
        .set_organization({ organizationId, ...change }, fixture.harness.caller({ organizationId: '' }));
    const [tracked, refused] = [await scheduled(), await scheduled()];
    await set({ trackOpens: false });
    await fixture.age(refused, `scheduled_at = clock_timestamp() + interval '1 day'`);
    await fixture.startDue();
    expect((await sends(tracked))[0]).toMatchObject({ track_opens: false, track_clicks: true });
    await set({ trackOpens: true, quotas: { mailsPerMonth: 701 } });
    await fixture.age(refused, 'scheduled_at = clock_timestamp()');
    await fixture.startDue();
    await set({ quotas: { mailsPerMonth: null } });
    expect(await fixture.row(refused)).toMatchObject({
      status: 'FAILED',
      failure: expect.stringMatching(/^Nothing was sent: The .* plan allows 701 emails a month/),
    });
    expect(await sends(refused)).toEqual([]);
  });

  it('starts a campaign of each organization before a second of one that has many', async () => {
    const other = (
      await fixture.harness
        .client(domainRequests)
        .create_organization({ name: 'Small' }, fixture.harness.caller({ organizationId: '' }))
    ).organization.id;
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await scheduled());
    const { id: last } = await fixture.draft();
    const claims = await rolledBack(fixture.harness.dataSource('campaign'), async (manager) => {
      await manager.query(
        `update campaign set organization_id = $1, status = 'SCHEDULED', scheduled_at = clock_timestamp() where campaign_id = $2`,
        [uuidOf('org', other), uuidOf('cmp', last)],
      );
      const claim = async () => (await new SendRepository(manager).claim(2, 60_000)).map(({ campaign }) => campaign.id);
      return [await claim(), await claim()];
    });
    expect(claims.map((some) => some.includes(last))).toEqual([true, false]);
    expect(claims.flat()).toHaveLength(4);
    await fixture.startDue();
  });

  it('takes each of many due campaigns once, with four workers at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => scheduled()));
    const workers = [1, 2, 3, 4].map(() => fixture.starter());
    const taken = await Promise.all(
      workers.map(async (worker) => {
        let count = 0;
        for (let more = await worker.take(); more > 0; more = await worker.take()) {
          count += more;
          await worker.settled();
        }
        return count;
      }),
    );
    expect(taken.reduce((sum, count) => sum + count)).toBe(10);
    for (const id of ids) expect(await fixture.row(id)).toMatchObject({ status: 'SENDING', attempts: 1 });
  });

  // The requests of a start: sender, audience, organization, conditional block, hand-over.
  const deaths = [1, 2, 3, 4, 5].flatMap((number) => [
    { number, when: 'before request' },
    { number, when: 'before the answer of request' },
  ]);
  it.each(deaths)('survives a process that dies $when $number: one audience, one send', async ({ number, when }) => {
    const id = await scheduled({ content: doc(paragraph('for customers', shownTo('customer')), unsubscribeFooter) });
    const before = (await audiences()).length;
    const { open, opened } = gate();
    const died = gate();
    const dying = fixture.starter({
      bus: busWith(fixture.harness.bus, async (ask, n, ...question) => {
        if (n < number) return await ask(...question);
        const answer = when === 'before request' ? null : await ask(...question);
        if (n === number) died.open();
        await opened;
        return answer ?? (await ask(...question));
      }),
    });
    expect(await dying.take()).toBe(1);
    await died.opened;
    const { send_id, audience_id } = await fixture.row(id);

    expect(await fixture.starter().take()).toBe(0);
    await leaseEnds(id);
    await fixture.startDue();
    const after = await fixture.row(id);
    expect(after).toMatchObject({ status: 'SENDING', attempts: 2, send_id, audience_id, recipient_count: 700 });
    expect(after.handed_over_at).not.toBeNull();

    // A process that was only slow goes on from where it stood, and changes nothing any more.
    open();
    await dying.settled();
    expect(await fixture.row(id)).toEqual(after);
    expect(await sends(id)).toMatchObject([{ send_id, total: 700 }]);
    expect((await audiences()).length).toBe(before + 1);
  });

  it('is not undone when the send is finished before its start is noted', async () => {
    const id = await scheduled();
    const { open, opened } = gate();
    const reached = gate();
    const slow = fixture.starter({
      bus: busWith(fixture.harness.bus, async (ask, _number, kind, target, ...rest) => {
        const answer = await ask(kind, target, ...rest);
        if (target.name === 'start_send') {
          reached.open();
          await opened;
        }
        return answer;
      }),
    });
    await slow.take();
    await reached.opened;
    await fixture.finish(id);
    open();
    await slow.settled();
    expect(await fixture.row(id)).toMatchObject({
      status: 'SENT',
      recipient_count: 700,
      handed_over_at: expect.any(Date),
    });
  });

  it.each(['domain', 'subscriber', 'delivery'])(
    'waits while the %s service is away, and goes on by itself',
    async (service) => {
      const id = await scheduled();
      await fixture.harness.bus.without(service, () => fixture.startDue());
      expect(await fixture.row(id)).toMatchObject({
        status: 'SENDING',
        handed_over_at: null,
        defects: 0,
        waiting_for: expect.stringContaining(service),
      });
      await leaseEnds(id);
      await fixture.startDue();
      expect(await fixture.row(id)).toMatchObject({
        status: 'SENDING',
        handed_over_at: expect.any(Date),
        waiting_for: null,
      });
    },
  );

  it('gives up after ten defects, and says so', async () => {
    const id = await scheduled();
    const broken = fixture.starter({
      bus: busWith(fixture.harness.bus, (ask, _number, kind, target, ...rest) =>
        target.name === 'freeze_audience'
          ? Promise.resolve({ ok: false, error: { code: 'INTERNAL', message: 'Something went wrong.' } })
          : ask(kind, target, ...rest),
      ),
    });
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect((await fixture.get(id)).status).toBe(attempt === 1 ? 'SCHEDULED' : 'SENDING');
      await broken.take();
      await broken.settled();
      await leaseEnds(id);
    }
    expect(await fixture.get(id)).toMatchObject({ status: 'FAILED', failure: expect.stringContaining('defect') });
  });

  it('fails with the reason if no subscriber matches at the due time', async () => {
    await fixture.people(1, 'leaver');
    const { id } = await fixture.draft();
    await fixture.harness.data(
      'update_campaign_filters',
      { campaignId: id, filters: tagged('leaver') },
      fixture.tenant,
    );
    await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
    await fixture.harness.data('unsubscribe', { email: 'leaver-0@example.com' }, fixture.tenant);
    await fixture.startDue();
    expect(await fixture.get(id)).toMatchObject({
      status: 'FAILED',
      failure: 'Nothing was sent: no SUBSCRIBED subscriber matched the filters when the campaign was due.',
      finishedAt: expect.any(String),
    });
    expect(await sends(id)).toEqual([]);
  });

  it('fails with the reason if a filter or a conditional block names a deleted target', async () => {
    await fixture.people(1, 'soon-gone');
    const { id: filtered } = await fixture.draft();
    await fixture.harness.data(
      'update_campaign_filters',
      { campaignId: filtered, filters: tagged('soon-gone') },
      fixture.tenant,
    );
    await fixture.harness.data('schedule_campaign', { campaignId: filtered }, fixture.tenant);
    const conditional = await scheduled({ content: doc(paragraph('x', shownTo('soon-gone')), unsubscribeFooter) });
    await fixture.dropTag('soon-gone');
    await fixture.startDue();
    for (const id of [filtered, conditional]) {
      expect(await fixture.get(id)).toMatchObject({
        status: 'FAILED',
        failure: expect.stringMatching(/^Nothing was sent: .*tag/i),
      });
      expect(await sends(id)).toEqual([]);
    }
  });

  it('fails with the reason when the sender is gone or its domain no longer verified', async () => {
    const alone = await fixture.found('Alone');
    await fixture.people(1, undefined, alone);
    const ids = [];
    for (const change of [
      `update sending_domain set status = 'FAILED' where domain_id = (select domain_id from sender where display_name = 'Alone')`,
      `delete from sender where display_name = 'Alone'`,
    ]) {
      const { id } = await fixture.draft({}, alone);
      await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, alone);
      ids.push(id);
      await fixture.harness.dataSource('domain').query(change);
      await fixture.age(id, 'scheduled_at = clock_timestamp()');
      await fixture.startDue();
      await fixture.harness.dataSource('domain').query(`update sending_domain set status = 'VERIFIED'`);
    }
    expect((await fixture.get(ids[0]!, alone)).failure).toContain('not VERIFIED');
    expect((await fixture.get(ids[1]!, alone)).failure).toContain('deleted');
  });

  it('begins at once when a campaign is sent now, and on time when it is scheduled', async () => {
    const working = async (pollIntervalMs: number, schedule: () => Promise<string>) => {
      const worker = fixture.starter({ pollIntervalMs });
      worker.start();
      try {
        const id = await schedule();
        await until('the campaign is on its way', async () => (await fixture.row(id)).handed_over_at !== null);
        return id;
      } finally {
        await worker.stop();
      }
    };
    // Longer than the test: only the announcement can have woken this one.
    await working(60_000, () => scheduled());
    const date = new Date(Date.now() + 3_600_000).toISOString();
    const later = await working(50, async () => {
      const { id } = await fixture.draft();
      await fixture.harness.data('schedule_campaign', { campaignId: id, date }, fixture.tenant);
      await fixture.age(id, `scheduled_at = clock_timestamp() + interval '1 s'`);
      return id;
    });
    const { scheduledAt, startedAt } = await fixture.get(later);
    expect(startedAt! >= scheduledAt!).toBe(true);
  });
});

describe('the end of a send', () => {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
    await fixture.people(3);
  });
  afterAll(() => fixture.close());

  it('is noted once, with its outcome, for the send that the campaign is about', async () => {
    const { id } = await fixture.draft();
    await fixture.sendNow(id);
    const at = '2026-05-01T10:00:00.000Z';
    const other = wireId('send', '00000000-0000-7000-8000-000000000000');
    await fixture.hear('send.finished', [
      { sendId: other, campaignId: id, outcome: 'FAILED', failure: 'not this', at },
    ]);
    expect((await fixture.get(id)).status).toBe('SENDING');
    await fixture.finish(id, 'FAILED', 'No message was sent: 3 STOPPED.');
    await fixture.finish(id, 'SENT');
    expect(await fixture.get(id)).toMatchObject({
      status: 'FAILED',
      failure: 'No message was sent: 3 STOPPED.',
      finishedAt: at,
    });
  });

  it('releases the audience, also after the owning service was unavailable', async () => {
    const { id } = await fixture.draft();
    await fixture.sendNow(id);
    const { audience_id } = await fixture.row(id);
    const pages = () =>
      fixture.harness
        .dataSource('subscriber')
        .query('select 1 from audience_page where audience_id = $1', [audience_id]);
    const release = releaseAudiences({
      sends: new SendRepository(fixture.harness.dataSource('campaign').manager),
      bus: fixture.harness.bus,
      log,
    });
    await release.run();
    expect(await pages()).toHaveLength(1);
    await fixture.finish(id);
    await expect(fixture.harness.bus.without('subscriber', async () => void (await release.run()))).rejects.toThrow(
      'subscriber',
    );
    await release.run();
    expect(await pages()).toHaveLength(0);
    expect((await fixture.row(id)).audience_id).toBeNull();
  });

  it('gives audiences back past one that its owner will not take', async () => {
    const [stuck, next] = [await fixture.draft(), await fixture.draft()];
    for (const { id } of [stuck, next]) {
      await fixture.sendNow(id);
      await fixture.finish(id);
    }
    const stuckAudience = wireId('aud', (await fixture.row(stuck.id)).audience_id!);
    const bus = busWith(fixture.harness.bus, async (ask, _number, ...question) =>
      JSON.stringify(question[2]).includes(stuckAudience)
        ? { ok: false, error: { code: 'INTERNAL', message: 'Something went wrong.' } }
        : await ask(...question),
    );
    await releaseAudiences({
      sends: new SendRepository(fixture.harness.dataSource('campaign').manager),
      bus,
      log,
    }).run();
    expect((await fixture.row(stuck.id)).audience_id).not.toBeNull();
    expect((await fixture.row(next.id)).audience_id).toBeNull();
  });
});
