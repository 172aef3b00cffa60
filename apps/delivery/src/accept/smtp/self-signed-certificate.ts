import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

const validityMs = 365 * 86_400_000;
/** Longest common name, in characters (RFC 5280, appendix A.1: ub-common-name). */
const commonNameMax = 64;

/** Universal tags of ASN.1 (X.680, 8.6), and the context tags that RFC 5280 gives. */
const tag = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** [2] of GeneralName: dNSName (4.2.1.6). */
  dnsName: 0x82,
  /** [0] of TBSCertificate: version (4.1). */
  version: 0xa0,
  /** [3] of TBSCertificate: extensions (4.1). */
  extensions: 0xa3,
} as const;

const oid = {
  /** 1.2.840.10045.4.3.2 (RFC 5758, 3.2). */
  ecdsaWithSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
  /** 2.5.4.3 (RFC 5280, appendix A.1). */
  commonName: Buffer.from('0603550403', 'hex'),
  /** 2.5.29.17 (RFC 5280, 4.2.1.6). */
  subjectAltName: Buffer.from('0603551d11', 'hex'),
};

/**
 * Creates a P-256 key and a certificate that it signs itself (RFC 5280, 4.1), valid for a year from an hour before
 * `now`.
 * @param hosts names in ASCII, the first also the common name; IP addresses are left out
 * @returns both in PEM; the key as PKCS #8
 */
export function createSelfSignedCertificate(hosts: readonly string[], now: Date): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = [...new Set(hosts)].filter((host) => isIP(host.replace(/^\[|\]$/g, '')) === 0);
  const algorithm = der(tag.sequence, oid.ecdsaWithSha256);
  const name = distinguishedName(names.find(({ length }) => length <= commonNameMax) ?? 'localhost');
  // Clocks of clients may be behind.
  const notBefore = now.getTime() - 3_600_000;
  const tbsCertificate = der(
    tag.sequence,
    der(tag.version, der(tag.integer, Buffer.of(2))),
    der(tag.integer, serialNumber()),
    algorithm,
    name,
    der(tag.sequence, time(new Date(notBefore)), time(new Date(notBefore + validityMs))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(tag.extensions, der(tag.sequence, subjectAltName(names))),
  );
  const signature = sign('sha256', tbsCertificate, privateKey);
  const signed = der(tag.sequence, tbsCertificate, algorithm, der(tag.bitString, Buffer.of(0), signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem(signed) };
}

/** Encodes a value with its length in the shortest form (X.690, 8.1.3 and 10.1). */
function der(type: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(type, content.length), content]);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(type, 0x80 | length.length), length, content]);
}

/** Returns a positive number of 16 octets without a leading zero, 126 bits of it random (RFC 5280, 4.1.2.2). */
function serialNumber(): Buffer {
  const octets = randomBytes(16);
  octets[0] = (octets[0]! & 0x7f) | 0x40;
  return octets;
}

/** Encodes a Name with a common name only (RFC 5280, 4.1.2.4). */
const distinguishedName = (commonName: string): Buffer =>
  der(tag.sequence, der(tag.set, der(tag.sequence, oid.commonName, der(tag.utf8String, Buffer.from(commonName)))));

/** Encodes a time in seconds: UTCTime up to 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5). */
function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/\.\d+|[-:T]/g, '');
  return at.getUTCFullYear() < 2050
    ? der(tag.utcTime, Buffer.from(digits.slice(2)))
    : der(tag.generalizedTime, Buffer.from(digits));
}

/** Encodes the extension with the host names (RFC 5280, 4.2.1.6). */
const subjectAltName = (names: readonly string[]): Buffer => {
  const encoded = names.map((name) => der(tag.dnsName, Buffer.from(name, 'ascii')));
  return der(tag.sequence, oid.subjectAltName, der(tag.octetString, der(tag.sequence, ...encoded)));
};

/** Wraps a certificate in its textual form (RFC 7468, 5). */
const pem = (certificate: Buffer): string =>
  [
    '-----BEGIN CERTIFICATE-----',
    ...certificate.toString('base64').match(/.{1,64}/g)!,
    '-----END CERTIFICATE-----',
    '',
  ].join('\n');
