import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BusServer } from '#bus';
import { freshNamespace, fakeService, TestGateway } from './fake-services.js';
import type { Json } from './fake-services.js';

const namespace = freshNamespace();
const secret = `Basic ${Buffer.from('mx:secret').toString('base64')}`;
let services: BusServer;
let gateway: TestGateway;
let heard: Json[] = [];
let down = false;
let busy = false;

const hear = (input: Json) => {
  if (down) throw new Error('down');
  heard.push(input);
  return busy ? { recorded: 0, unknown: 0, later: 1 } : { recorded: 1, unknown: 0, later: 0 };
};
const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
  heard = [];
  const response = await fetch(`${gateway.url}/webhooks/${path}`, { method: 'POST', body, headers });
  return { status: response.status, body: (await response.json()) as Json };
};
const mailgun = (key = 'key', recipient = 'ada@example.net') => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${timestamp}t`).digest('hex');
  return JSON.stringify({
    signature: { timestamp, token: 't', signature },
    'event-data': { event: 'complained', recipient },
  });
};

beforeAll(async () => {
  services = await fakeService(namespace, {
    'requests.delivery.record_provider_reports': hear,
    'requests.delivery.record_mail_report': hear,
  });
  const secrets = {
    WEBHOOK_MAILGUN_KEY: 'key',
    WEBHOOK_MAIL_SECRET: 'mx:secret',
    WEBHOOK_SES_TOPIC_ARN: 'arn:aws:sns:1',
  };
  gateway = await TestGateway.start(namespace, secrets);
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
});

describe('/webhooks', () => {
  it('hands over what a provider signed', async () => {
    expect(await post('mailgun', mailgun())).toEqual({ status: 200, body: { recorded: 1, unknown: 0 } });
    expect(heard).toMatchObject([{ reports: [{ kind: 'COMPLAINED', address: 'ada@example.net' }] }]);
  });

  it('forwards the beginning of an address that cannot exist', async () => {
    expect((await post('mailgun', mailgun('key', `${'x'.repeat(1_100)}@example.net`))).status).toBe(200);
    expect(heard).toMatchObject([{ reports: [{ kind: 'COMPLAINED', address: 'x'.repeat(1_000) }] }]);
  });

  it('forwards a mail unchanged, up to the size limit', async () => {
    const mail = `From: x\r\n\r\n${'x'.repeat(600_000)}`;
    expect((await post('mail', mail, { authorization: secret })).status).toBe(200);
    expect(Buffer.from(heard[0]!.raw as string, 'base64').toString()).toBe(mail.slice(0, 512 * 1024));
  });

  it('refuses requests without a signature, and providers without a secret', async () => {
    expect((await post('mailgun', mailgun('other'))).status).toBe(401);
    expect((await post('mail', 'From: x')).status).toBe(401);
    expect((await post('mailgun', 'no json')).status).toBe(400);
    expect((await post('sendgrid', '[]')).status).toBe(404);
    expect((await post('mailgun', 'x'.repeat(6_000_000))).status).toBe(413);
    expect(heard).toEqual([]);
  });

  it('asks the provider to retry while no process can record the report', async () => {
    down = true;
    expect((await post('mailgun', mailgun())).status).toBe(503);
    down = false;
  });

  it('asks the provider to retry while the certificate of a signature cannot be fetched', async () => {
    const certificate = 'https://sns.xx-nowhere-1.amazonaws.com/SimpleNotificationService-1.pem';
    const notification = { Type: 'Notification', TopicArn: 'arn:aws:sns:1', SignatureVersion: '2' };
    const body = JSON.stringify({ ...notification, SigningCertURL: certificate });
    expect(await post('ses', body)).toEqual({ status: 503, body: { error: 'Try again later.' } });
  });

  it('asks the provider to retry a report about a message with an open attempt', async () => {
    busy = true;
    expect((await post('mailgun', mailgun())).status).toBe(503);
    expect((await post('mail', 'From: x', { authorization: secret })).status).toBe(503);
    busy = false;
  });
});
