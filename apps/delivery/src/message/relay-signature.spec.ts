import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { composeMessage } from './compose-message.js';
import { asRelayWants, isSigned, messageToStore, signsFor, signStored } from './relay-signature.js';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = {
  domain: 'shop.org',
  selector: 'm1',
  privateKeyPem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const published = `v=DKIM1; k=rsa; p=${pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
const at = new Date('2026-05-04T10:11:12Z');

const address = (text: string): EmailAddress => {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.address;
};
const composed = (to = 'ann@site.org') =>
  composeMessage({
    from: { ...address('news@shop.org'), display: 'Gärtnerei von Grünwald, Süßholz und Söhne, seit 1862 in Köln' },
    to: [address(to)],
    replyTo: address('hello@shop.org'),
    subject: 'News of May, with a subject that is long enough to be folded by whoever writes the header fields',
    html: '<p>Hello  Ann </p>\n\n\n',
    text: 'DKIM-Signature: of no header\n\nHello',
    messageId: '<0191f3a0-1234-7abc-8def-0123456789ac@shop.org>',
    date: at,
  });
const stored = async (signs: boolean, to?: string) =>
  (await messageToStore(composed(to), { key, signs, at })).toString('latin1');
const verdict = async (raw: string) => {
  const resolver = () => Promise.resolve([[published]]);
  const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), { resolver });
  return results.map(({ status }) => status.result);
};

describe('the signature that a relay wants', () => {
  it('is ours for ours and both', () => {
    expect((['ours', 'both', 'relay'] as const).map(signsFor)).toEqual([true, true, false]);
  });

  it('is in front of a stored message, or missing', async () => {
    const [signed, unsigned] = [await stored(true), await stored(false)];
    expect([isSigned(signed), isSigned(unsigned)]).toEqual([true, false]);
    expect(signed.endsWith(`\r\n${unsigned}`)).toBe(true);
    expect(await verdict(signed)).toEqual(['pass']);
    expect(await verdict(unsigned)).toEqual(['none']);
  });

  it('is removed whole where the relay signs, and nothing else is', async () => {
    expect(asRelayWants(await stored(true), false)).toBe(await stored(false));
    expect(asRelayWants(await stored(true), true)).toBe(await stored(true));
    expect(asRelayWants(await stored(false), false)).toBe(await stored(false));
  });

  it.each(['ann@site.org', 'ünlü@site.org'])('is made later as it is made at acceptance, to %s', async (to) => {
    const unsigned = await stored(false, to);
    expect(asRelayWants(unsigned, true)).toBeNull();
    const later = await signStored(unsigned, key, at);
    expect(later).toBe(await stored(true, to));
    expect(await verdict(later)).toEqual(['pass']);
  });
});
