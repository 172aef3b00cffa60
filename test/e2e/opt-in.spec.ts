import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import { domainRequests } from '#contracts';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

describe('double opt-in and a download, from outside', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  let tools: ToolsClient;
  beforeAll(async () => {
    sink = await SmtpSink.start();
    system = await startSystem({ SMTP_URL: sink.url }, { inOneProcess: true });
    tools = new ToolsClient(system.url(), system.apiToken);
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    const { organizationId } = system;
    await bus
      .client(domainRequests)
      .set_organization({ organizationId, doubleOptIn: true, name: 'Garden Shop' }, serviceCaller('', 'spec'));
    await bus.close();
  }, 120_000);
  afterAll(async () => {
    await system.stop();
    await sink.stop();
  });

  /** An address that was given out, on the port this system has. */
  const here = (url: string) => url.replace('http://localhost:3000', system.url());
  const statusOf = async (email: string) =>
    (await tools.data<{ subscriber: { status: string } }>('get_subscriber', { email })).subscriber.status;

  it('asks a newcomer by mail, takes the answer by the button of the page, and not by opening it', async () => {
    const email = 'Ada@people.internal';
    const added = await tools.data('add_subscriber', { email, tags: ['news'] });
    expect(added).toMatchObject({ subscriber: { status: 'PENDING_CONFIRMATION' } });
    await until('the message is there', () => sink.messages.length === 1, 60_000);
    const raw = sink.messages[0]!.raw.replaceAll('=\r\n', '');
    expect(raw).toMatch(/^Subject: Please confirm your subscription to Garden Shop\r$/m);
    const link = here(/http:\/\/localhost:3000\/s\/[\w-]+/.exec(raw)![0]);
    const page = await fetch(link);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Do you want to receive emails from Garden Shop?');
    expect(await statusOf(email)).toBe('PENDING_CONFIRMATION');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(link, { method: 'POST', headers, body: 'action=confirm' });
    expect(await answer.text()).toContain('You are subscribed');
    expect(await statusOf(email)).toBe('SUBSCRIBED');
    type Events = { events: { type: string; data: object }[] };
    const history = async () => (await tools.data<Events>('list_subscriber_events', { email })).events;
    await until('delivery told of the message', async () =>
      (await history()).some(({ type }) => type === 'EMAIL_SENT'),
    );
    const types = (await history()).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['SUBSCRIBED', 'TAG_ADDED']));
    expect((await history()).find(({ type }) => type === 'SUBSCRIBED')!.data).toEqual({ source: 'confirmation' });
  });

  it('writes an export in the background, whose link needs no token', async () => {
    const subscribers = Array.from({ length: 500 }, (_, i) => ({ email: `p${i}@example.com`, name: `Zoë ${i}` }));
    await tools.data('import_subscribers', { subscribers });
    const { exportId } = await tools.data<{ exportId: string }>('create_subscriber_export', { query: 'zoë' });
    const state = () => tools.data<{ status: string; downloadUrl: string }>('get_subscriber_export', { exportId });
    await until('the file is written', async () => (await state()).status === 'DONE', 60_000);
    const file = await fetch(here((await state()).downloadUrl));
    expect(file.status).toBe(200);
    const lines = (await file.text()).split('\r\n');
    expect(lines).toHaveLength(502);
    expect(lines[1]).toMatch(/^p\d+@example\.com,Zoë \d+,,SUBSCRIBED,,/);
  });
});
