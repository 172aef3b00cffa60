import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import NodemailerDkim from 'nodemailer/lib/dkim/index.js';
import { messageRequests } from '#contracts';
import { newId } from '#database';
import { parseAddress } from '#email-address';
import { CallContexts, readEnvironment } from '#service-host';
import { until } from '#testing';
import type { ReceivedMessage, SmtpSink } from '#testing';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { submitMail } from '../../src/accept/smtp/submission.service.js';
import { deliveryEnvironment } from '../../src/config.js';
import { emailParts } from '../../src/delivery.module.js';
import type { RelayDkim } from '../../src/message/relay-signature.js';
import { receivedBy } from '../receiving-server.js';
import { people, SendFixture, template } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';

jest.setTimeout(180_000);

const campaignSize = 60;
/** Recipients of the other kinds of mail. */
const others = ['flow', 'email', 'copy', 'confirm', 'test', 'system', 'smtp'];
const all = campaignSize + others.length;

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'der' },
});
const relayKey = `v=DKIM1; k=rsa; p=${pair.publicKey.toString('base64')}`;

/** What a relay that signs makes of a mail; the signature is another program's. */
async function signedByRelay(raw: string, domainName: string): Promise<string> {
  const signer = new NodemailerDkim({ domainName, keySelector: 'relay', privateKey: pair.privateKey });
  const chunks: Buffer[] = [];
  for await (const chunk of signer.sign(Buffer.from(raw, 'latin1'))) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('latin1');
}

/** The setting by which services accept mail that is stored: signed or unsigned. */
describe.each<RelayDkim>(['ours', 'relay'])('the signature of mail accepted with SMTP_DKIM=%s', (acceptedWith) => {
  const settings = { SMTP_DKIM: acceptedWith };
  const world = SendFixture.ofSuite(settings, 1);

  const queueWorkflow = async (tenant: Sending) => {
    const { subscriber } = await world.tidings.data<{ subscriber: { id: string } }>(
      'add_subscriber',
      { email: 'flow@kinds.internal' },
      tenant,
    );
    const mail = {
      campaignId: newId('cmp'),
      campaignName: 'Welcome',
      template: template('Hello'),
      replyTo: null,
      sender: tenant.sender,
      organizationName: 'Garden Shop',
    };
    const messages = [{ sourceKey: randomUUID(), subscriberId: subscriber.id, email: 'flow@kinds.internal' }];
    const { organizationId } = tenant;
    await world.tidings
      .client(messageRequests)
      .queue_workflow_messages(
        { sendKey: randomUUID(), subject: 'Welcome', messages, mail },
        world.tidings.caller({ organizationId }),
      );
  };

  const submit = async (tenant: Sending) => {
    const contexts = new CallContexts('delivery', world.database, () => undefined);
    const config = readEnvironment(deliveryEnvironment, {
      ...environmentFor('postgres://localhost/none'),
      ...settings,
    });
    const parts = { ...emailParts(config, { bus: world.tidings.bus }), contexts };
    const to = parseAddress('smtp@kinds.internal');
    if (!to.ok) throw new Error(to.reason);
    const lines = [
      ...[`From: Gärtnerei <orders@${tenant.sender.domain}>`, 'To: smtp@kinds.internal', 'Subject: Your receipt'],
      ...['DKIM-Signature: v=1; a=rsa-sha256; d=shop.example; s=x; h=from; bh=AA==; b=AA==', '', 'Hello', ''],
    ];
    await submitMail(Buffer.from(lines.join('\r\n')), [to.address], parts, world.tidings.caller(tenant));
  };

  /** Accepts one mail of each other kind. */
  const acceptOthers = async (tenant: Sending) => {
    const from = `Garden Shop <orders@${tenant.sender.domain}>`;
    const email = { from, to: 'email@kinds.internal', cc: ['copy@kinds.internal'], subject: 'Your receipt' };
    await world.tidings.data('send_email', { ...email, html: '<p>Hello  ünlü </p>\n\n' }, tenant);
    const queue = world.tidings.client(messageRequests);
    const caller = world.tidings.caller({ organizationId: tenant.organizationId });
    const written = { subject: 'Please confirm', html: '<p>Hello</p>', text: 'Hello' };
    const asked = (name: string) => ({ ...written, sourceKey: randomUUID(), email: `${name}@kinds.internal` });
    await queue.queue_message({ ...asked('confirm'), subscriberId: newId('sub') }, caller);
    await queue.queue_test({ ...asked('test'), senderId: null, replyTo: null }, caller);
    await queue.queue_system_message({ ...asked('system'), senderId: tenant.sender.id }, caller);
    await submit(tenant);
  };

  const accept = async () => {
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(campaignSize)));
    await queueWorkflow(tenant);
    await acceptOthers(tenant);
    return { tenant, send };
  };

  const makeAllDue = async () => {
    for (const table of ['message', 'message_queue'])
      await world.database.query(
        `update ${table} set due_at = clock_timestamp() where state = 'DEFERRED' and owner is null and due_at > clock_timestamp()`,
      );
  };

  /** Waits until every mail is at one of the relays, once. */
  const arrived = async (...sinks: SmtpSink[]) => {
    const mails = () => sinks.flatMap(({ messages }) => messages);
    await until(
      'every mail is there',
      async () => {
        await makeAllDue();
        return mails().length >= all;
      },
      100_000,
    );
    const names = mails().map(({ to }) => to);
    expect(new Set(names).size).toBe(all);
    expect(names).toHaveLength(all);
  };

  /** Lets an independent server judge all mail of a relay that has a setting. */
  const judge = async (tenant: Sending, mails: readonly ReceivedMessage[], dkim: RelayDkim) => {
    const { domain, mailFromDomain } = tenant.sender;
    const spf = { spf: 'pass', dmarc: 'pass' };
    for (const { raw, from, to } of mails) {
      const isOurs = dkim !== 'relay';
      const header = raw.slice(0, raw.indexOf('\r\n\r\n'));
      expect({ to, signatures: header.match(/^DKIM-Signature:/gim)?.length ?? 0 }).toEqual({
        to,
        signatures: Number(isOurs),
      });
      const aligned = { dkim: isOurs ? domain : undefined, spf: mailFromDomain };
      const verdict = { dkim: [isOurs ? 'pass' : 'none'], ...spf, aligned };
      expect({ to, ...(await receivedBy(world.tidings, tenant, { raw, from })) }).toEqual({ to, ...verdict });
    }
  };

  it.each<RelayDkim>(['ours', 'relay', 'both'])('is as the only relay wants it: %s', async (dkim) => {
    const sink = await world.relay();
    const { tenant, send } = await accept();
    world.engine(sink.url, { SMTP_DKIM: dkim });
    await arrived(sink);
    await judge(tenant, sink.messages, dkim);
    expect(await world.finished(send)).toMatchObject({ sent: campaignSize, inDoubt: 0, failed: 0 });
  });

  it.each<[RelayDkim, RelayDkim]>([
    ['ours', 'relay'],
    ['relay', 'ours'],
    ['relay', 'both'],
  ])('is as the fallback wants it when the first relay (%s) refuses connections: %s', async (first, fallback) => {
    const sink = await world.relay();
    const { tenant, send } = await accept();
    // No server listens there.
    const change = { SMTP_FALLBACK_URL: sink.url, SMTP_DKIM: first, SMTP_FALLBACK_DKIM: fallback };
    world.engine('smtp://127.0.0.1:1', change);
    await arrived(sink);
    await judge(tenant, sink.messages, fallback);
    expect(await world.finished(send)).toMatchObject({ sent: campaignSize, inDoubt: 0, failed: 0 });
  });

  it.each<[RelayDkim, RelayDkim]>([
    ['ours', 'relay'],
    ['relay', 'ours'],
  ])('is as each wants it when the first relay (%s) takes some and then answers 421: %s', async (first, fallback) => {
    let taken = 0;
    const behave: SmtpSink['behave'] = () =>
      (taken += 1) > 20 ? { do: 'refuse', at: 'RCPT', reply: '421 4.3.2 Service shutting down' } : { do: 'accept' };
    const [one, other] = [await world.relay({ behave }), await world.relay()];
    const { tenant, send } = await accept();
    const change = { SMTP_FALLBACK_URL: other.url, SMTP_DKIM: first, SMTP_FALLBACK_DKIM: fallback };
    world.engine(one.url, { ...change, SMTP_CONNECTIONS: '8' });
    await arrived(one, other);
    expect(one.messages.length).toBe(20);
    await judge(tenant, one.messages, first);
    await judge(tenant, other.messages, fallback);
    expect(await world.finished(send)).toMatchObject({ sent: campaignSize, inDoubt: 0, failed: 0 });
  });

  it('is as the relay wants it after deferrals and a restart with another setting', async () => {
    const later: SmtpSink['behave'] = () => ({ do: 'refuse', at: 'RCPT', reply: '451 4.3.0 Later' });
    const sink = await world.relay({ behave: (to) => (to.startsWith('p') ? { do: 'accept' } : later(to, 1)) });
    const tenant = await world.organization();
    await acceptOthers(tenant);
    await queueWorkflow(tenant);
    const other = acceptedWith === 'relay' ? 'ours' : 'relay';
    const engine = world.engine(sink.url, { SMTP_DKIM: acceptedWith });
    const deferred = async () => {
      const rows: { n: number }[] = await world.database.query(
        `select count(*)::int as n from message where state = 'DEFERRED' and attempts = 1`,
      );
      return rows[0]!.n >= others.length;
    };
    await until('all are deferred', deferred, 60_000);
    await world.end(engine);
    sink.behave = () => ({ do: 'accept' });
    world.engine(sink.url, { SMTP_DKIM: other });
    await until('all are there', async () => (await makeAllDue(), sink.messages.length === others.length), 60_000);
    await judge(tenant, sink.messages, other);
  });

  it('makes a mail the same, octet for octet, at each attempt', async () => {
    const sink = await world.relay({
      behave: (_to, nth) => (nth === 1 ? { do: 'drop', at: 'DOT' } : { do: 'accept' }),
    });
    const tenant = await world.organization();
    await acceptOthers(tenant);
    world.engine(sink.url, { SMTP_DKIM: 'ours' });
    const twice = 2 * (others.length - 1);
    await until('each is there twice', async () => (await makeAllDue(), sink.messages.length === twice), 60_000);
    for (const name of others.slice(1)) {
      const raws = sink.messages.filter(({ to }) => to === `${name}@kinds.internal`).map(({ raw }) => raw);
      expect(raws).toEqual([raws[0], raws[0]]);
    }
    await judge(tenant, sink.messages, 'ours');
  });

  it('may be the relay’s own: alone where it is aligned, or beside ours', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    world.engine(sink.url, { SMTP_DKIM: acceptedWith });
    await queueWorkflow(tenant);
    await until('it is there', () => sink.messages.length === 1, 60_000);
    const [{ raw, from }] = sink.messages as [ReceivedMessage];
    const { domain } = tenant.sender;
    const relayKeys = [`relay._domainkey.${domain}`, 'relay._domainkey.relay.example'].map(
      (name) => [name, relayKey] as const,
    );
    // Forwarded: SPF does not carry it.
    const judged = async (signedBy: string) =>
      await receivedBy(world.tidings, tenant, {
        raw: await signedByRelay(raw, signedBy),
        from,
        ip: '203.0.113.9',
        relayKeys,
      });
    const ours = acceptedWith === 'ours' ? ['pass'] : [];
    expect(await judged(domain)).toMatchObject({ dkim: ['pass', ...ours], dmarc: 'pass', aligned: { dkim: domain } });
    const unaligned = acceptedWith === 'ours' ? { dmarc: 'pass', aligned: { dkim: domain } } : { dmarc: 'fail' };
    expect(await judged('relay.example')).toMatchObject({ dkim: ['pass', ...ours], ...unaligned });
  });

  it('is missed by a mail that is stored unsigned when its domain is gone, and the mail is skipped', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    await acceptOthers(tenant);
    await world.tidings.dataSource('domain').query('delete from dkim_key');
    world.engine(sink.url, { SMTP_DKIM: 'ours' });
    const states = async () => {
      const rows: { state: string; n: number }[] = await world.database.query(
        `select state, count(*)::int as n from message m where state in ('DELIVERED', 'SKIPPED') and kind <> 'WORKFLOW'
         and email like '%@kinds.internal' and m.organization_id in (select organization_id from message order by message_id desc limit 1)
         group by state`,
      );
      return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
    };
    const expected = { [acceptedWith === 'ours' ? 'DELIVERED' : 'SKIPPED']: others.length - 1 };
    await until('all are settled', async () => JSON.stringify(await states()) === JSON.stringify(expected), 60_000);
    expect(sink.messages).toHaveLength(acceptedWith === 'ours' ? others.length - 1 : 0);
  });
});
