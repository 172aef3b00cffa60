import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { newId, newUuid } from '#database';
import { parseAddress } from '#email-address';
import { createLogger } from '#observability';
import { SmtpSink, until } from '#testing';
import { Registry } from 'prom-client';
import { asRelayWants } from '../src/message/relay-signature.js';
import { meterOf } from '../src/metrics/send-metrics.service.js';
import { Relay } from '../src/send/relay/connection-pool.worker.js';
import type { ConnectionSlot } from '../src/send/relay/connection-pool.worker.js';
import type { DestinationRepository } from '../src/send/relay/destination.repository.js';
import { parseRelayUrl } from '../src/send/relay/relay-address.js';
import type { RenderedHandle } from '../src/send/relay/send-thread.worker.js';
import { RenderPool } from '../src/send/render/render-pool.worker.js';
import { CampaignRenderer } from '../src/send/render/campaign-renderer.js';
import type { Send } from '../src/send/send.js';
import { template } from './send-fixture.js';
import { renderThread } from './send-threads-fixture.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const addressOf = (text: string) => {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.address;
};
const text = "Hello {{firstName | 'friend'}}";

const mailNamed = (subject: string): CampaignRenderer =>
  new CampaignRenderer({
    send: {
      sendId: newId('send'),
      organizationId: newId('org'),
      organizationName: 'Garden Shop',
      campaignId: newId('cmp'),
      period: '2026-11-01',
      sender: { displayName: 'Shop', localPart: 'news', domain: 'shop.internal', mailFromDomain: 'b.shop.internal' },
      template: template(text, subject),
      tracking: { opens: true, clicks: true },
    } as unknown as Send,
    ids: { organization: newUuid(), campaign: newUuid() },
    signing: { domain: 'shop.internal', selector: 't1', privateKey },
    linkKey: randomBytes(32),
    publicUrl: 'http://localhost:3000',
    replyTo: addressOf('hello@shop.internal'),
    currentYear: 2026,
  });
const to = (email: string, messageId = newUuid()) => ({
  messageId,
  subscriberId: newUuid(),
  address: addressOf(email),
  recipient: { values: {}, shows: [] },
});

describe('the making of messages', () => {
  const renderPools: RenderPool[] = [];
  const renderPool = (file: URL, threads = 2) => {
    const one = new RenderPool({ threads, file, log: createLogger('spec', 'silent') });
    renderPools.push(one);
    return one;
  };
  afterEach(async () => {
    await Promise.all(renderPools.splice(0).map((one) => one.stop()));
  });

  it('gives each person their message, in order, and says for whom none can be made', async () => {
    const results = await renderPool(renderThread).make(
      mailNamed('News'),
      [to('ada@people.internal'), to('bob@people.internal', 'no uuid'), to('cy@people.internal')],
      true,
    );
    expect(results.map((one) => ('failure' in one ? one.failure : one.message.to))).toEqual([
      'ada@people.internal',
      'Not a UUID: no uuid',
      'cy@people.internal',
    ]);
    const [ada] = results;
    if (!ada || 'failure' in ada) throw new Error('no message');
    const text = await ada.message.thread.fetch(ada.message);
    expect(text!.raw).toMatch(/^DKIM-Signature: [^]*\r\nTo: ada@people\.internal\r\n[^]*Hello=20=\r\nfriend/);
  });

  it('leaves the signature out for a relay that signs itself, and nothing else', async () => {
    const one = renderPool(renderThread, 1);
    const mail = mailNamed('News');
    const ada = to('ada@people.internal');
    const rawOf = async (signs: boolean) => {
      const [made] = await one.make(mail, [ada], signs);
      if (!made || 'failure' in made) throw new Error('no message');
      return (await made.message.thread.fetch(made.message))!.raw;
    };
    const [signed, unsigned] = [await rawOf(true), await rawOf(false)];
    expect(unsigned).toMatch(/^From: /);
    expect(unsigned).not.toContain('DKIM-Signature');
    // Each rendering seals other links.
    expect(unsigned.match(/^[\w-]+(?=:)/gm)).toEqual(asRelayWants(signed, false)!.match(/^[\w-]+(?=:)/gm));
  });

  it('is sent by its thread or, where only another one has a connection, by that one; what is not sent is dropped', async () => {
    const sink = await SmtpSink.start();
    const one = renderPool(renderThread);
    const { threads } = one;
    const relay = new Relay({
      address: parseRelayUrl(sink.url),
      connections: 4,
      timeouts: { connectMs: 30_000, greetingMs: 30_000, commandMs: 30_000, dataMs: 30_000 },
      threads,
      destinations: {} as DestinationRepository,
      meter: meterOf(new Registry()),
      log: createLogger('spec', 'silent'),
    });
    const mail = mailNamed('News');
    const made: RenderedHandle[] = [];
    // Each is rendered by the thread that holds fewer messages.
    for (const name of ['ada', 'bob', 'cy', 'dee']) {
      const [outcome] = await one.make(mail, [to(`${name}@people.internal`)], true);
      if (!outcome || 'failure' in outcome) throw new Error('no message');
      made.push(outcome.message);
    }
    const [ada, bob, cy, dee] = made as [RenderedHandle, RenderedHandle, RenderedHandle, RenderedHandle];
    expect([ada.thread === bob.thread, ada.thread === cy.thread, bob.thread === dee.thread]).toEqual([
      ...[false, true, true],
    ]);
    let turn: ConnectionSlot | null = null;
    await until('a connection is open', () => (turn = relay.take('single', ada.to)) !== null);
    const [own, other] = turn!.client.thread === ada.thread ? [ada, bob] : [bob, ada];
    other.withSignature = false;
    expect(await relay.attempt(turn!, own)).toMatchObject({ code: 250 });
    expect(await relay.attempt(turn!, other)).toMatchObject({ code: 250 });
    expect(sink.messages.map(({ raw }) => raw.startsWith('DKIM-Signature:'))).toEqual([true, false]);
    expect(sink.messages.map(({ to: address }) => address)).toEqual([own.to, other.to]);
    expect(threads.heldOctets).toBe(cy.octets + dee.octets);
    for (const handle of [cy, dee, cy]) handle.thread.drop(handle);
    expect([threads.heldOctets, await cy.thread.fetch(cy)]).toEqual([0, null]);
    expect(await relay.attempt(turn!, { ...cy, isHeld: false })).toMatchObject({ kind: 'withheld' });
    relay.give(turn!, null);
    await relay.stop();
    await sink.stop();
  });

  it('asks a thread again with everything when it has dropped the recipe', async () => {
    const one = renderPool(renderThread, 1);
    const first = mailNamed('first');
    const subjectOf = async (mail: CampaignRenderer) => {
      const [made] = await one.make(mail, [to('ada@people.internal')], true);
      return made && 'subject' in made ? made.subject : made;
    };
    expect(await subjectOf(first)).toBe('first');
    for (let n = 0; n < 40; n++) expect(await subjectOf(mailNamed(`no ${n}`))).toBe(`no ${n}`);
    expect(await subjectOf(first)).toBe('first');
  });

  it('reports a thread that ended, and starts another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-making-'));
    try {
      const file = join(folder, 'thread.mjs');
      const marker = join(folder, 'told');
      writeFileSync(
        file,
        `import { existsSync, writeFileSync } from 'node:fs';
         import { parentPort } from 'node:worker_threads';
         parentPort.once('message', ({ renders: [{ order }] }) => {
           if (!existsSync(${JSON.stringify(marker)})) { writeFileSync(${JSON.stringify(marker)}, ''); process.exit(3); }
           const rendered = [{ order, messages: [{ failure: 'a second thread' }] }];
           parentPort.postMessage({ opened: [], reports: { numbers: [], texts: [] }, ended: [], fetched: [], rendered });
         });`,
      );
      const one = renderPool(pathToFileURL(file), 1);
      await expect(one.make(mailNamed('News'), [to('ada@people.internal')], true)).rejects.toThrow(/has ended/);
      expect(await one.make(mailNamed('News'), [to('ada@people.internal')], true)).toEqual([
        { failure: 'a second thread' },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
