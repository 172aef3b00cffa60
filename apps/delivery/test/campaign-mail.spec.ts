import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId, newUuid } from '#database';
import { parseAddress } from '#email-address';
import { LinkTokens } from '#link-token';
import { CampaignRenderer } from '../src/send/render/campaign-renderer.js';
import type { Send } from '../src/send/send.js';
import { template } from './send-fixture.js';

const linkKey = randomBytes(32);
const publicUrl = 'http://localhost:3000';
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** Returns the target of a mail's link for a recipient with this note: its address, and the content of its token. */
function linkWith(note: string) {
  const reply = parseAddress('hello@shop.internal');
  if (!reply.ok) throw new Error(reply.reason);
  const mail = new CampaignRenderer({
    send: {
      sendId: newId('send'),
      organizationId: newId('org'),
      organizationName: 'Shop',
      campaignId: newId('cmp'),
      period: '2026-11-01',
      tracking: { opens: true, clicks: true },
      sender: { displayName: 'Shop', localPart: 'news', domain: 'shop.internal', mailFromDomain: 'b.shop.internal' },
      template: template('[Mine](https://shop.internal/?note={{note}}{{addTag:vip}})'),
    } as unknown as Send,
    ids: { organization: newUuid(), campaign: newUuid() },
    signing: { domain: 'shop.internal', selector: 't1', privateKey },
    replyTo: reply.address,
    linkKey,
    publicUrl,
    currentYear: 2026,
  });
  const recipient = { values: { note }, shows: [] };
  const html = mail.view({ messageId: newUuid(), subscriberId: newUuid(), recipient });
  const href = /href="([^"]+)"[^>]*>Mine/.exec(html)![1]!;
  const token = href.startsWith(`${publicUrl}/c/`) ? href.slice(publicUrl.length + 3) : null;
  return { href, opened: token && new LinkTokens(linkKey).open('click', token) };
}

describe('a link of a campaign', () => {
  it.each([1, 4_000, 5_900])('comes back here when it has a value of %i characters', (length) => {
    const note = 'x'.repeat(length);
    expect(linkWith(note).opened).toMatchObject({ target: `https://shop.internal/?note=${note}`, addTags: ['vip'] });
  });

  it.each([6_200, 10_000])(
    'leads straight to its target when a value of %i characters is too long to seal',
    (length) => {
      const note = 'x'.repeat(length);
      expect(linkWith(note).href).toBe(`https://shop.internal/?note=${note}`);
    },
  );
});
