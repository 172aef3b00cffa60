import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { campaignTools, subscriberTools, importTools } from '#contracts';
import { newId, newUuid } from '#database';
import { SmtpSink, until } from '#testing';
import { startServices, cliFixture } from './cli-fixture.js';

describe('the operator, while mail goes out', () => {
  let sink: SmtpSink;
  let services: Awaited<ReturnType<typeof startServices>>;
  let type: ReturnType<typeof cliFixture>;
  let bus: Bus;
  let database: DataSource;

  beforeAll(async () => {
    sink = await SmtpSink.start({ throttle: 50 });
    services = await startServices(['domain', 'subscriber', 'campaign', 'delivery'], { SMTP_URL: sink.url });
    const { NATS_URL: url, NATS_NAMESPACE: namespace } = services.config;
    type = cliFixture(services.config);
    bus = await connectBus({ url, namespace, name: 'spec' });
    database = await new DataSource({ type: 'postgres', url: services.databaseUrl }).initialize();
  });
  afterAll(async () => {
    await database.destroy();
    await bus.close();
    await services.stop();
    await sink.stop();
  });

  /** Adds a dead letter to the subscriber service. */
  const putAside = (organizationId: string, data: unknown) =>
    database.query(
      `insert into subscriber.dead_letter (dead_letter_id, consumer, event, error, attempts)
       values ($1, 'subscriber', $2, 'Error: it was a bad day', 2)`,
      [newUuid(), { id: newId('evt'), organizationId, name: 'message.sent', data }],
    );

  /** Creates and schedules a campaign to 600 subscribers. @returns its id */
  async function sending(organizationId: string): Promise<string> {
    const caller = () => serviceCaller(organizationId, 'spec');
    for (const offset of [0, 300]) {
      const subscribers = Array.from({ length: 300 }, (_, n) => ({ email: `p${offset + n}@people.internal` }));
      await bus.client(importTools).import_subscribers({ subscribers }, caller());
    }
    const tools = bus.client(campaignTools);
    const { campaignId } = await tools.create_campaign({ name: 'Spring', subject: 'Hello' }, caller());
    await tools.schedule_campaign({ campaignId }, caller());
    return campaignId;
  }

  it('shows the progress of each send, pauses it, resumes it, and stops it', async () => {
    const org = (await type('org', 'create', 'Sends')).last;
    const campaign = await sending(org);
    const of = (...args: string[]) => type(...args, '--org', org);
    await until('mail goes out', () => sink.accepted > 20, 60_000);

    expect((await of('campaign', 'pause', campaign)).said).toEqual([`Campaign ${campaign} is paused.`]);
    const list = await of('sends', 'list');
    expect(list.said).toHaveLength(2);
    expect(list.last).toMatch(new RegExp(`^send_\\w+ +PAUSED +600 +\\S+ +- +${campaign} +Spring$`));
    const send = list.last.split(' ')[0]!;
    const show = async () => (await of('sends', 'show', send)).said.join('\n');
    expect(await show()).toMatch(/State +PAUSED: Paused by request\.\n[^]*Recipients +600\n +sent +\d+\n/);

    await of('campaign', 'resume', campaign);
    const before = sink.accepted;
    await until('mail goes out again', () => sink.accepted > before + 10, 60_000);
    await of('campaign', 'stop', campaign);
    await until('the send is over', async () => /State +STOPPED[^]*Finished +20/.test(await show()), 60_000);
    expect(await show()).toMatch(/pending +0\n[^]* +skipped STOPPED +\d+\nPages +0 ready, 0 leased, 2 done/);
    const resumed = async () => (await of('campaign', 'resume', campaign)).noted.join('\n');
    await until('the campaign has heard of it', async () => !(await resumed()).includes('is about to end'));
    expect(await resumed()).toMatch(/^The campaign is \w+; only a SENDING campaign can be/);
  });

  it('holds all mail, sees that it is held, and releases it', async () => {
    const org = (await type('org', 'create', 'Held')).last;
    expect((await type('mail', 'hold', '--reason', 'a wrong template')).last).toMatch(
      /^Mail is held since 20\S+Z by \S+: a wrong template\. 0 single messages and 0 campaigns wait\.$/,
    );
    const before = sink.accepted;
    const campaign = await sending(org);
    await until('the campaign waits', async () => {
      const { last } = await type('mail', 'status', '--json');
      const { cells } = JSON.parse(last) as { cells: { hold: { reason: string }; waiting: { sends: number } }[] };
      return cells[0]!.hold.reason === 'a wrong template' && cells[0]!.waiting.sends === 1;
    });
    expect(sink.accepted).toBe(before);
    expect((await type('mail', 'release')).last).toMatch(/^Mail is not held\./);
    await until('mail goes out', () => sink.accepted > before, 60_000);
    expect((await type('campaign', 'stop', campaign, '--org', org)).status).toBe(0);
  });

  it('is not shown another organization’s send', async () => {
    const [tenant, otherTenant] = [
      (await type('org', 'create', 'Ours')).last,
      (await type('org', 'create', 'Theirs')).last,
    ];
    const campaign = await sending(otherTenant);
    await until(
      'it is under way',
      async () => (await type('sends', 'list', '--org', otherTenant)).said.length === 2,
      60_000,
    );
    const send = (await type('sends', 'list', '--org', otherTenant)).last.split(' ')[0]!;
    expect((await type('sends', 'list', '--org', tenant)).said).toHaveLength(1);
    expect((await type('sends', 'show', send, '--org', tenant)).status).toBe(1);
    expect((await type('campaign', 'stop', campaign, '--org', tenant)).status).toBe(1);
    expect((await type('campaign', 'stop', campaign, '--org', otherTenant)).status).toBe(0);
  });

  it('lists what could not be applied, and replays it: what can be applied now is, the rest stays', async () => {
    const org = (await type('org', 'create', 'Letters')).last;
    const caller = serviceCaller(org, 'spec');
    const ada = async () => (await bus.client(subscriberTools).get_subscriber({ email }, caller)).subscriber;
    const email = 'ada@people.internal';
    await bus.client(importTools).import_subscribers({ subscribers: [{ email }] }, caller);
    const about = {
      messageId: newId('msg'),
      subscriberId: (await ada()).id,
      campaignId: newId('cmp'),
      campaignName: 'News',
      subject: 'Hello',
      email,
      at: '2026-01-02T03:04:05.000Z',
      simulated: false,
    };
    await putAside(org, about);
    await putAside(org, { ...about, at: 'no time' });

    const list = await type('dead-letters', 'list');
    // The workflow service is not running here.
    expect(list).toMatchObject({ status: 1, noted: [expect.stringMatching(/^workflow: /)] });
    expect(list.said).toEqual([
      expect.stringMatching(/^ID +SERVICE +EVENT/),
      ...Array(2).fill(expect.stringMatching(`^dlt_\\w+ +subscriber +message\\.sent +${org} +2× .*it was a bad day$`)),
      '2 put aside.',
    ]);
    const replay = await type('dead-letters', 'replay', '--service', 'subscriber');
    expect(replay).toMatchObject({ status: 1, last: '1 replayed, 1 failed again.' });
    expect(replay.noted[1]).toMatch(/ 3× .*no time/);
    expect(await ada()).toMatchObject({ emailCount: 1 });

    const id = replay.noted[1]!.split(' ')[0]!;
    expect((await type('dead-letters', 'replay', '--id', id)).last).toBe('0 replayed, 1 failed again.');
    expect((await type('dead-letters', 'replay', '--id', newId('dlt'))).last).toBe('0 replayed, 0 failed again.');
    expect(await ada()).toMatchObject({ emailCount: 1 });
    expect((await type('dead-letters', 'list')).last).toBe('1 put aside.');
  });
});
