import { createPublicKey } from 'node:crypto';
import { authenticate } from 'mailauth';
import { domainRequests } from '#contracts';
import type { Harness } from '../../../test/harness/harness.js';
import type { Sending } from './send-fixture.js';

/** The default origin of mail; the SPF record of the return path's domain names it. */
const relayIp = '192.0.2.25';

/** The result of an independent mail server for a mail. `aligned`: the domain by which DMARC passes, or undefined. */
export interface Verdict {
  dkim: string[];
  spf: string | undefined;
  dmarc: string | undefined;
  aligned: { dkim: unknown; spf: unknown };
}

/**
 * Checks a mail by DKIM, SPF and DMARC (RFC 6376, 7208, 7489) as a mailbox provider does, with the records of the
 * sender's domain. Its policy is to refuse failing mail. DKIM must name the very domain of From, and the return path
 * may be below it.
 * @param relayKeys names and records of keys by which the relay signs
 */
export async function receivedBy(
  harness: Harness,
  tenant: Sending,
  {
    raw,
    from,
    ip = relayIp,
    relayKeys = [],
  }: { raw: string | Buffer; from: string; ip?: string; relayKeys?: readonly (readonly [string, string])[] },
): Promise<Verdict> {
  const { domain, mailFromDomain } = tenant.sender;
  const { key } = await harness.client(domainRequests).get_signing_key({ domain }, harness.caller(tenant));
  const spki = createPublicKey(key!.privateKeyPem).export({ type: 'spki', format: 'der' }).toString('base64');
  const records = new Map([
    [`${key!.selector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${spki}`],
    [`_dmarc.${domain}`, 'v=DMARC1; p=reject; adkim=s; aspf=r'],
    [mailFromDomain, `v=spf1 ip4:${relayIp} -all`],
    ...relayKeys,
  ]);
  const { dkim, spf, dmarc } = await authenticate(raw, {
    ip,
    helo: 'relay.example',
    mta: 'mx.example',
    sender: from,
    trustReceived: false,
    disableBimi: true,
    resolver: (name, type) => {
      const record = type === 'TXT' ? records.get(name.toLowerCase()) : undefined;
      if (record !== undefined) return Promise.resolve([[record]]);
      return Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    },
  });
  const alignment = dmarc ? dmarc.alignment : undefined;
  return {
    dkim: dkim.results.map(({ status }) => status.result),
    spf: spf ? spf.status.result : undefined,
    dmarc: dmarc ? dmarc.status.result : undefined,
    aligned: { dkim: alignment?.dkim?.result, spf: alignment?.spf?.result },
  };
}
