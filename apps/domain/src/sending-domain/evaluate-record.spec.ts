import { describe, expect, it } from '@jest/globals';
import { wantedRecords } from './dns-record.js';
import type { RecordPurpose } from './dns-record.js';
import { evaluateRecord } from './evaluate-record.js';

const source = {
  domain: 'acme.example',
  mailFromDomain: 'bounce.acme.example',
  verificationToken: 'abc',
  selector: 'td',
};
const records = wantedRecords(
  { ...source, publicKey: 'MIIBkey' },
  { mailHost: 'mx.tidings.example', spfMechanisms: 'include:relay.example ip4:192.0.2.1' },
);
const judge = (purpose: RecordPurpose, ...values: string[]) =>
  evaluateRecord(
    records.find((record) => record.purpose === purpose)!,
    { kind: 'values', values },
    undefined,
  );

describe('what DNS says of a record', () => {
  it.each<[RecordPurpose, string, string[]]>([
    ['VERIFICATION', 'other text beside it', ['google-site-verification=x', 'tidings-verification=abc']],
    ['DKIM', 'white space, order and case as RFC 6376 lets them be', ['p=MIIB key ;k=rsa; h=sha1:sha256', 'a note']],
    ['MAIL_FROM_MX', 'another preference, case and a dot', ['5 MX.Tidings.example.']],
    ['MAIL_FROM_SPF', 'more mechanisms, any order', ['V=SPF1 +ip4:192.0.2.1 a include:relay.example -all', 'x']],
    ['DMARC', 'a stricter policy', ['v=DMARC1;p=Reject;rua=mailto:a@acme.example']],
  ])('%s is VERIFIED with %s', (purpose, _what, values) => {
    expect(judge(purpose, ...values)).toEqual({ status: 'VERIFIED', found: values, advice: null, proven: true });
  });

  it.each<[RecordPurpose, string[], string]>([
    ['VERIFICATION', ['tidings-verification=abd'], 'exactly this value'],
    ['DKIM', ['v=DKIM1; p='], 'revokes'],
    ['DKIM', ['v=DKIM1; p=MIIBother'], 'another DKIM key'],
    ['DKIM', ['v=DKIM1; k=rsa; p=MIIB'], 'cut off after 4 of 7'],
    ['DKIM', ['v=DKIM1; p=MIIBkey', 'v=DKIM1; p=MIIBold'], '2 DKIM keys'],
    ['DKIM', ['v=DKIM1; k=ed25519; p=MIIBkey'], 'k=rsa'],
    ['DKIM', ['v=DKIM1; h=sha1; p=MIIBkey'], 'forbids SHA-256'],
    ['MAIL_FROM_MX', ['10 mx.other.example'], 'leads elsewhere'],
    ['MAIL_FROM_MX', ['10 mx.tidings.example', '20 mx.other.example'], 'further MX'],
    ['MAIL_FROM_MX', ['0 .'], 'leads elsewhere'],
    ['MAIL_FROM_SPF', ['v=spf1 include:relay.example ~all'], 'lacks "ip4:192.0.2.1"'],
    ['MAIL_FROM_SPF', ['v=spf1 include:relay.example ip4:192.0.2.1 +all'], 'allows every server to send'],
    ['MAIL_FROM_SPF', ['v=spf1 ip4:192.0.2.1 -all include:relay.example'], '"include:relay.example" behind all'],
    ['MAIL_FROM_SPF', [`v=spf1 include:relay.example ip4:192.0.2.1 ${'a:x.example '.repeat(10)}~all`], '11 look-ups'],
    ['MAIL_FROM_SPF', ['v=spf1 a ~all', 'v=spf1 include:relay.example ip4:192.0.2.1 ~all'], '2 SPF records'],
    ['DMARC', ['v=DMARC1; rua=mailto:a@acme.example'], 'no policy'],
    ['DMARC', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], '2 DMARC records'],
  ])('%s is FAILED by %j, which it explains', (purpose, values, advice) => {
    expect(judge(purpose, ...values)).toMatchObject({ status: 'FAILED', advice: expect.stringContaining(advice) });
  });

  it.each<[RecordPurpose, string]>([
    ['DKIM', 'a note'],
    ['MAIL_FROM_SPF', 'v=spf10 all'],
    ['DMARC', 'v=spf1 -all'],
  ])('%s is PENDING while the name has only other text', (purpose, value) => {
    expect(judge(purpose, value)).toMatchObject({ status: 'PENDING', found: [value] });
  });

  it('keeps and shows a bounded part of a long answer', () => {
    const { found } = judge('VERIFICATION', ...Array<string>(50).fill('x'.repeat(60_000)));
    expect(found).toEqual(Array(10).fill('x'.repeat(1_000)));
  });
});

describe('the records that are advised', () => {
  const source = {
    domain: 'acme.example',
    mailFromDomain: 'bounce.acme.example',
    verificationToken: 't',
    selector: 's',
  };
  it.each([
    ['mx.tidings.example', true],
    [null, false],
  ])('lead MX to %s: %s', (mailHost, expected) => {
    const advised = wantedRecords({ ...source, publicKey: 'k' }, { mailHost, spfMechanisms: 'mx' });
    expect(advised.some(({ type }) => type === 'MX')).toBe(expected);
  });
});
