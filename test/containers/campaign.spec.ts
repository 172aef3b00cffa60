import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Network } from 'testcontainers';
import type { StartedNetwork, StartedTestContainer } from 'testcontainers';
import { until } from '#testing';
import { ToolsClient } from '../e2e/client.js';
import { databasePassword, freePort, processContainer, startNats, startPostgres } from './containers.js';
import { caughtMails, unsubscribeLink } from './mailbox.js';

interface Progress {
  status: string;
  total: number;
  sent: number;
  inDoubt: number;
}

const recipients = Array.from({ length: 1_000 }, (_, n) => `reader${n}@post.internal`);
const services = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'] as const;

describe('a campaign sent by containers', () => {
  const started = new Map<string, StartedTestContainer>();
  let network: StartedNetwork;
  let url: string;
  let client: ToolsClient;
  let campaignId: string;

  const start = async (name: string, environment: Record<string, string>) =>
    void started.set(name, await processContainer(network, name).withEnvironment(environment).start());
  const progress = () => client.data<Progress & Record<string, unknown>>('get_campaign_progress', { campaignId });

  beforeAll(async () => {
    network = await new Network().start();
    const port = await freePort();
    url = `http://localhost:${port}`;
    const token = randomBytes(24).toString('hex');
    client = new ToolsClient(url, token);
    started.set('postgres', await startPostgres(network));
    started.set('nats', await startNats(network));
    const bus = { NATS_URL: 'nats://nats:4222', MASTER_KEY: randomBytes(32).toString('hex'), PUBLIC_URL: url };
    const environment = {
      ...bus,
      DATABASE_URL: `postgres://tidings:${databasePassword}@postgres:5432/tidings`,
      BOOTSTRAP_TOKEN: token,
      SMTP_URL: 'smtp://catcher:2525',
      // Few, so that the restart below falls into the sending.
      SMTP_CONNECTIONS: '2',
    };
    await start('catcher', { HEALTH_PORT: '3000', HEALTH_PATH: '/healthz' });
    await Promise.all(services.map((name) => start(name, environment)));
    const gateway = processContainer(network, 'gateway')
      .withExposedPorts({ container: 3000, host: port })
      .withEnvironment({ ...bus, CATCHER_URL: 'http://catcher:3000' });
    started.set('gateway', await gateway.start());
  }, 300_000);

  afterAll(async () => {
    await Promise.all([...started.values()].map((one) => one.stop({ timeout: 10_000 })));
    await network.stop();
  }, 120_000);

  it('imports contacts over HTTP', async () => {
    for (const half of [recipients.slice(0, 500), recipients.slice(500)]) {
      const subscribers = half.map((email) => ({ email, name: 'A Reader', tags: ['reader'] }));
      expect(await client.data('import_subscribers', { subscribers })).toMatchObject({ imported: 500, failed: 0 });
    }
  });

  it('keeps what it took when the subscriber container is killed and started again', async () => {
    await started.get('subscriber')!.restart({ timeout: 0 });
    await until('the subscriber service answers again', async () => {
      const { status, body } = await client.call('list_tags', {});
      if (status === 200) expect(body.data).toMatchObject({ tags: [{ name: 'reader', subscribersCount: 1_000 }] });
      return status === 200;
    });
  });

  it('sends each recipient one mail although delivery is restarted in the middle', async () => {
    ({ campaignId } = await client.data<{ campaignId: string }>('create_campaign', {
      name: 'Spring',
      subject: 'Hello {{firstName | "there"}}',
      contentType: 'MARKDOWN',
      content: '# Spring\n\nDear {{firstName | "reader"}}, [unsubscribe]({{unsubscribeUrl}}).',
    }));
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['reader'] }];
    await client.data('update_campaign_filters', { campaignId, filters });
    await client.data('schedule_campaign', { campaignId });

    await until('a tenth is caught', async () => (await caughtMails(url)).length >= 100, 60_000);
    await started.get('delivery')!.restart({ timeout: 35_000 });
    const caughtBefore = (await caughtMails(url)).length;
    expect(caughtBefore).toBeLessThan(recipients.length);

    await until('the campaign is sent', async () => (await progress()).status === 'SENT', 120_000);
    expect(await progress()).toMatchObject({ total: 1_000, sent: 1_000, inDoubt: 0 });
    const mails = await caughtMails(url);
    expect(mails.map(({ envelope }) => envelope.to[0]).sort()).toEqual([...recipients].sort());
    expect(new Set(mails.map(({ subject }) => subject))).toEqual(new Set(['Hello A']));
  }, 300_000);

  it('unsubscribes who follows the one-click link of a mail', async () => {
    const mail = (await caughtMails(url))[0]!;
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(await unsubscribeLink(url, mail), { method: 'POST', body })).status).toBe(200);
    const email = mail.envelope.to[0]!;
    await until('the subscriber is UNSUBSCRIBED', async () => {
      const { subscriber } = await client.data<{ subscriber: { status: string } }>('get_subscriber', { email });
      return subscriber.status === 'UNSUBSCRIBED';
    });
  });
});
