import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { KeyWrap } from './dkim-key.js';
import type { DkimKeyPair } from './dkim-key.js';
import { makeDkimKeyPair } from './make-key-pair.js';

describe('a DKIM key', () => {
  let pair: DkimKeyPair;
  beforeAll(async () => {
    pair = await makeDkimKeyPair();
  });
  const ours = new KeyWrap('a1'.repeat(32));

  it('is a 2048-bit RSA pair whose halves belong together', () => {
    const publicKey = createPublicKey({ key: Buffer.from(pair.publicKey, 'base64'), type: 'spki', format: 'der' });
    expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    const signature = sign('sha256', Buffer.from('mail'), createPrivateKey(pair.privateKeyPem));
    expect(verify('sha256', Buffer.from('mail'), publicKey, signature)).toBe(true);
  });

  it('has a selector that is a DNS label', () => expect(pair.selector).toMatch(/^td[a-z2-7]{8}$/));

  it('comes out of its seal as it went in, and never the same way twice', () => {
    const sealed = ours.seal(pair.privateKeyPem, 'dom_1');
    expect(ours.open(sealed, 'dom_1')).toBe(pair.privateKeyPem);
    expect(sealed.sealed.includes('PRIVATE KEY')).toBe(false);
    expect(ours.seal(pair.privateKeyPem, 'dom_1').sealed.equals(sealed.sealed)).toBe(false);
  });

  it('stays sealed for another owner, under another master key, or with a bit changed', () => {
    const sealed = ours.seal(pair.privateKeyPem, 'dom_1');
    expect(() => ours.open(sealed, 'dom_2')).toThrow();
    expect(() => new KeyWrap('b2'.repeat(32)).open(sealed, 'dom_1')).toThrow(/another MASTER_KEY/);
    for (const at of [0, 12, 28, sealed.sealed.length - 1]) {
      const changed = Buffer.from(sealed.sealed);
      changed[at]! ^= 1;
      expect(() => ours.open({ ...sealed, sealed: changed }, 'dom_1')).toThrow();
    }
  });
});
