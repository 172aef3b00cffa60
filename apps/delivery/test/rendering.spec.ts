import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { newId, newUuid } from '#database';
import { parseAddress } from '#email-address';
import { createLogger } from '#observability';
import { asRelayWants } from '../src/message/relay-signature.js';
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
