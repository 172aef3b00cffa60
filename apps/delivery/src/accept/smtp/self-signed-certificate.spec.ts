import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSelfSignedCertificate } from './self-signed-certificate.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const create = (hosts: string[], at = now) => {
  const { key, cert } = createSelfSignedCertificate(hosts, at);
  return { key: createPrivateKey(key), cert: new X509Certificate(cert) };
};

describe('createSelfSignedCertificate', () => {
  it('signs a certificate for all hosts with its own P-256 key, for a year', () => {
    const { key, cert } = create(['mx.shop.example', 'mail.shop.example', 'localhost', 'localhost']);
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(cert.checkPrivateKey(key)).toBe(true);
    expect(cert.verify(cert.publicKey)).toBe(true);
    expect(cert.checkIssued(cert)).toBe(true);
    expect(cert.subject).toBe('CN=mx.shop.example');
    expect(cert.subjectAltName).toBe('DNS:mx.shop.example, DNS:mail.shop.example, DNS:localhost');
    expect([cert.validFrom, cert.validTo]).toEqual(['May  6 06:08:09 2031 GMT', 'May  5 06:08:09 2032 GMT']);
  });

  it('has another key and another positive serial number each time', () => {
    const created = Array.from({ length: 50 }, () => create(['localhost']));
    expect(new Set(created.map(({ cert }) => cert.fingerprint256)).size).toBe(50);
    expect(new Set(created.map(({ key }) => key.export({ type: 'pkcs8', format: 'pem' }))).size).toBe(50);
    for (const { cert } of created) {
      expect(cert.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
      expect(cert.verify(cert.publicKey)).toBe(true);
    }
    expect(new Set(created.map(({ cert }) => cert.serialNumber)).size).toBe(50);
  });

  it('leaves addresses out, and takes no name of more than 64 characters as common name', () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`;
    expect(create(['127.0.0.1', '[::1]', long, 'localhost']).cert).toMatchObject({
      subject: 'CN=localhost',
      subjectAltName: `DNS:${long}, DNS:localhost`,
    });
  });

  it('encodes lengths of more than one octet', () => {
    const hosts = Array.from({ length: 40 }, (_, n) => `host-${n}.shop.example`);
    expect(create(hosts).cert.subjectAltName?.split(', ')).toEqual(hosts.map((host) => `DNS:${host}`));
  });

  it('encodes times from 2050', () => {
    const { cert } = create(['localhost'], new Date('2049-12-31T12:00:00Z'));
    expect([cert.validFrom, cert.validTo]).toEqual(['Dec 31 11:00:00 2049 GMT', 'Dec 31 11:00:00 2050 GMT']);
  });
});
