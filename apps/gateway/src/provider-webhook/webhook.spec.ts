import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeWebhooks } from './registry.js';
import type { WebhookContent } from './webhook.js';

const now = new Date('2026-05-04T10:00:00Z');
const seconds = String(now.getTime() / 1000);
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const certificate = String(rsa.publicKey.export({ format: 'pem', type: 'spki' }));
const topic = 'arn:aws:sns:eu-west-1:1:mail';
const basic = (secret: string) => `Basic ${Buffer.from(secret).toString('base64')}`;
const messageId = '<01902c3e-7a00-7000-8000-00000000abcd@shop.example>';
const returnPath = `b.${'a'.repeat(62)}@bounce.shop.example`;

const webhooks = makeWebhooks(
  {
    WEBHOOK_SES_TOPIC_ARN: topic,
    WEBHOOK_MAILGUN_KEY: 'key',
    WEBHOOK_POSTMARK_SECRET: 'us:secret',
    WEBHOOK_SENDGRID_KEY: ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    WEBHOOK_MAIL_SECRET: 'mx:secret',
  },
  () => Promise.resolve(certificate),
);
const ask = (provider: string, body: string, headers: Record<string, string> = {}) =>
  webhooks.get(provider)!({ headers, body: Buffer.from(body), now });
/** Kind, address, status, type and category of each report. */
const reportsOf = (content: WebhookContent | null) =>
  content?.kind === 'reports'
    ? content.reports.map((one) =>
        [one.kind, one.address, ...(one.kind === 'BOUNCED' ? [one.status, one.type, one.category] : [])].join(' '),
      )
    : content;

describe('the webhook of Mailgun', () => {
  const body = (event: object, timestamp = seconds, key = 'key') => {
    const signature = createHmac('sha256', key).update(`${timestamp}token`).digest('hex');
    return JSON.stringify({ signature: { timestamp, token: 'token', signature }, 'event-data': event });
  };
  const failed = {
    event: 'failed',
    severity: 'permanent',
    reason: 'bounce',
    recipient: 'ada@example.net',
    envelope: { sender: returnPath },
    message: { headers: { 'message-id': messageId } },
    'delivery-status': { code: 550, message: '5.1.1 No such user', 'enhanced-code': '5.1.1' },
  };

  it('is read when its signature is right and of now', async () => {
    const content = await ask('mailgun', body(failed));
    expect(reportsOf(content)).toEqual(['BOUNCED ada@example.net 5.1.1 HARD OTHER']);
    expect(content).toMatchObject({ reports: [{ returnPath, messageId, text: '550 5.1.1 No such user' }] });
    expect(reportsOf(await ask('mailgun', body({ ...failed, severity: 'temporary' })))).toEqual([
      'DELAYED ada@example.net',
    ]);
    expect(reportsOf(await ask('mailgun', body({ ...failed, event: 'complained' })))).toEqual([
      'COMPLAINED ada@example.net',
    ]);
    expect(reportsOf(await ask('mailgun', body({ ...failed, event: 'opened' })))).toEqual([]);
  });

  it.each(['', '550', undefined])('has no code where it gives none: %j', async (code) => {
    const status = { ...failed['delivery-status'], 'enhanced-code': code };
    expect(await ask('mailgun', body({ ...failed, 'delivery-status': status }))).toMatchObject({
      reports: [{ status: null, text: '550 5.1.1 No such user' }],
    });
  });

  it('passes on no NUL, which no database text can hold', async () => {
    const status = { code: 550, message: 'No\0such user' };
    expect(await ask('mailgun', body({ ...failed, 'delivery-status': status }))).toMatchObject({
      reports: [{ text: '550 No such user' }],
    });
  });

  it('is not heard with another key, an old time, or no signature', async () => {
    const old = String(now.getTime() / 1000 - 3600);
    const asked = [body(failed, seconds, 'other'), body(failed, old), body(failed, 'soon'), JSON.stringify({})];
    expect(await Promise.all(asked.map((one) => ask('mailgun', one)))).toEqual([null, null, null, null]);
  });
});

describe('the webhook of SendGrid', () => {
  const headersFor = (body: string, timestamp = seconds) => ({
    'x-twilio-email-event-webhook-timestamp': timestamp,
    'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + body), ec.privateKey).toString(
      'base64',
    ),
  });
  const events = JSON.stringify([
    {
      event: 'bounce',
      type: 'bounce',
      email: 'a@example.net',
      status: '5.1.1',
      reason: '550 No',
      'smtp-id': messageId,
    },
    { event: 'bounce', type: 'blocked', email: 'b@example.net', status: '5.7.1', reason: 'Blocked' },
    { event: 'spamreport', email: 'c@example.net' },
    { event: 'delivered', email: 'd@example.net' },
    { event: 'click', email: 'e@example.net' },
  ]);

  it('is read when its signature is right and of now', async () => {
    expect(reportsOf(await ask('sendgrid', events, headersFor(events)))).toEqual([
      ...['BOUNCED a@example.net 5.1.1 HARD OTHER', 'BOUNCED b@example.net 5.7.1 SOFT BLOCKED'],
      ...['COMPLAINED c@example.net', 'DELIVERED d@example.net'],
    ]);
  });

  it('is not heard with another body, an old time, or no signature', async () => {
    expect(await ask('sendgrid', `${events} `, headersFor(events))).toBeNull();
    expect(await ask('sendgrid', events, headersFor(events, '1000'))).toBeNull();
    expect(await ask('sendgrid', events)).toBeNull();
  });
});

const notification = (message: object, change: Record<string, string> = {}) => {
  const fields: Record<string, string> = {
    Type: 'Notification',
    MessageId: 'm1',
    TopicArn: topic,
    Message: JSON.stringify(message),
    Timestamp: now.toISOString(),
    SignatureVersion: '2',
    SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
    ...change,
  };
  const names = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names.flatMap((name) => (fields[name] === undefined ? [] : [`${name}\n${fields[name]}\n`])).join('');
  const algorithm = fields.SignatureVersion === '1' ? 'sha1' : 'sha256';
  return { ...fields, Signature: sign(algorithm, Buffer.from(text), rsa.privateKey).toString('base64') };
};
const mail = { source: returnPath, headers: [{ name: 'Message-ID', value: messageId }] };
const bounce = {
  notificationType: 'Bounce',
  mail,
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress: 'a@example.net', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 unknown' }],
  },
};

describe('the webhook of Amazon SES', () => {
  it.each(['1', '2'])('is read when its signature is right (version %s)', async (SignatureVersion) => {
    const content = await ask('ses', JSON.stringify(notification(bounce, { SignatureVersion })));
    expect(reportsOf(content)).toEqual(['BOUNCED a@example.net 5.1.1 HARD NO_SUCH_USER']);
    expect(content).toMatchObject({ reports: [{ returnPath, messageId }] });
    const complaint = {
      eventType: 'Complaint',
      mail,
      complaint: { complainedRecipients: [{ emailAddress: 'b@example.net' }] },
    };
    expect(reportsOf(await ask('ses', JSON.stringify(notification(complaint))))).toEqual(['COMPLAINED b@example.net']);
  });

  it.each([
    ['abuse', ['COMPLAINED b@example.net']],
    [undefined, ['COMPLAINED b@example.net']],
    ['not-spam', []],
    ['auth-failure', []],
  ])('takes only abuse for a complaint: %s', async (complaintFeedbackType, expected) => {
    const complaint = { complainedRecipients: [{ emailAddress: 'b@example.net' }], complaintFeedbackType };
    const body = JSON.stringify(notification({ notificationType: 'Complaint', mail, complaint }));
    expect(reportsOf(await ask('ses', body))).toEqual(expected);
  });

  it('confirms its own subscription, at an address of Amazon only', async () => {
    const confirmation = (SubscribeURL: string) =>
      JSON.stringify(notification({}, { Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL }));
    const url = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription';
    expect(await ask('ses', confirmation(url))).toEqual({ kind: 'confirm', url });
    expect(await ask('ses', confirmation('https://evil.example/'))).toBeNull();
  });

  it.each([
    ['another topic', notification(bounce, { TopicArn: 'arn:aws:sns:eu-west-1:2:mail' })],
    [
      'a certificate of somebody else',
      notification(bounce, { SigningCertURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/x.pem' }),
    ],
    [
      "a certificate out of somebody's bucket",
      notification(bounce, {
        SigningCertURL: 'https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
      }),
    ],
    [
      'another answer of Amazon for its certificate',
      notification(bounce, { SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/?Action=Other&x=.pem' }),
    ],
    ['an unknown version', notification(bounce, { SignatureVersion: '3' })],
    ['a changed message', { ...notification(bounce), Message: '{}' }],
  ])('is not heard with %s', async (_, body) => {
    expect(await ask('ses', JSON.stringify(body))).toBeNull();
  });
});

describe('the certificate of Amazon SNS', () => {
  it('is asked for once, and again after a failure', async () => {
    const asked: string[] = [];
    const ses = makeWebhooks({ WEBHOOK_SES_TOPIC_ARN: topic }, (url) => {
      asked.push(url);
      return asked.length === 1 ? Promise.reject(new Error('down')) : Promise.resolve(certificate);
    }).get('ses')!;
    const take = () => ses({ headers: {}, body: Buffer.from(JSON.stringify(notification(bounce))), now });
    await expect(take()).rejects.toThrow('down');
    await Promise.all([take(), take(), take()]);
    expect(asked).toEqual(Array(2).fill('https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem'));
  });
});

describe('the webhook of Postmark', () => {
  const body = (change: object) =>
    JSON.stringify({
      RecordType: 'Bounce',
      Type: 'HardBounce',
      Email: 'a@example.net',
      Details: '550 5.1.1 unknown',
      Content: `Return-Path: <${returnPath}>\r\nMessage-ID: ${messageId}\r\n`,
      ...change,
    });

  it('is read with the password of its address, and not without', async () => {
    const authorization = basic('us:secret');
    const content = await ask('postmark', body({}), { authorization });
    expect(reportsOf(content)).toEqual(['BOUNCED a@example.net  HARD NO_SUCH_USER']);
    expect(content).toMatchObject({ reports: [{ returnPath, messageId }] });
    expect(reportsOf(await ask('postmark', body({ Type: 'SpamComplaint' }), { authorization }))).toEqual([
      'COMPLAINED a@example.net',
    ]);
    expect(reportsOf(await ask('postmark', body({ Type: 'AutoResponder' }), { authorization }))).toEqual([]);
    expect(await ask('postmark', body({}), { authorization: basic('us:other') })).toBeNull();
    expect(await ask('postmark', body({}))).toBeNull();
  });
});

describe('the door for bounces as they come', () => {
  it('needs its password', async () => {
    expect(await ask('mail', 'From: x', { authorization: basic('mx:secret') })).toMatchObject({ kind: 'mail' });
    expect(await ask('mail', 'From: x')).toBeNull();
  });

  it('is not there, as no other is, without its secret', () => {
    expect([...makeWebhooks({}, () => Promise.reject(new Error('asked'))).keys()]).toEqual([]);
  });
});
