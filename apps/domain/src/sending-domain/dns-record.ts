import type { z } from 'zod';
import type { dnsRecord, recordPurpose } from '#contracts';
import type { RecordCheck } from '../dns/record-check.js';

export type RecordPurpose = z.infer<typeof recordPurpose>;
export type DnsRecord = z.infer<typeof dnsRecord>;
export type RecordChecks = Partial<Record<RecordPurpose, RecordCheck>>;

export type WantedRecord = Pick<DnsRecord, 'type' | 'name' | 'value' | 'purpose' | 'required'>;

export interface MailRoute {
  /** Null where no server on the internet can reach it: an MX record that leads there would lose every bounce. */
  mailHost: string | null;
  /** SPF mechanisms of the hosts that send mail to mailbox providers, with spaces between. */
  spfMechanisms: string;
}

export interface RecordSource {
  domain: string;
  mailFromDomain: string;
  verificationToken: string;
  selector: string;
  publicKey: string;
}

/**
 * The records that prove a domain and make its mail authentic; without the MX record of MAIL FROM where no server can
 * reach the host that takes bounces.
 */
export const wantedRecords = (
  { domain, mailFromDomain, verificationToken, selector, publicKey }: RecordSource,
  { mailHost, spfMechanisms }: MailRoute,
): WantedRecord[] => [
  {
    type: 'TXT',
    name: `_tidings.${domain}`,
    value: `tidings-verification=${verificationToken}`,
    purpose: 'VERIFICATION',
    required: true,
  },
  {
    type: 'TXT',
    name: `${selector}._domainkey.${domain}`,
    value: `v=DKIM1; k=rsa; p=${publicKey}`,
    purpose: 'DKIM',
    required: true,
  },
  ...(mailHost !== null
    ? [
        {
          type: 'MX' as const,
          name: mailFromDomain,
          value: `10 ${mailHost}`,
          purpose: 'MAIL_FROM_MX' as const,
          required: false,
        },
      ]
    : []),
  {
    type: 'TXT',
    name: mailFromDomain,
    value: `v=spf1 ${spfMechanisms} ~all`,
    purpose: 'MAIL_FROM_SPF',
    required: false,
  },
  { type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none;', purpose: 'DMARC', required: false },
];
