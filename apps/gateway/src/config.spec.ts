import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from '#service-host';
import { gatewayEnvironment } from './config.js';

const read = (TRUST_PROXY?: string) =>
  readEnvironment(gatewayEnvironment, { NATS_URL: 'nats://x', MASTER_KEY: '5f'.repeat(32), TRUST_PROXY }).TRUST_PROXY;

describe('TRUST_PROXY', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['false', false],
    ['true', true],
    ['127.0.0.1', ['127.0.0.1']],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['2001:db8::/32', ['2001:db8::/32']],
  ])('%j trusts %j', (text, proxies) => {
    expect(read(text)).toEqual(proxies);
  });

  it.each(['1', 'yes', 'proxy.example', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/8/8', '10.0.0.1,', '::1/129'])(
    'refuses %j with a sentence',
    (text) => {
      expect(() => read(text)).toThrow('TRUST_PROXY: must be true, false, or addresses and networks');
    },
  );
});

describe('the identity provider', () => {
  const readProvider = (environment: Record<string, string>) =>
    readEnvironment(gatewayEnvironment, { NATS_URL: 'nats://x', MASTER_KEY: '5f'.repeat(32), ...environment });
  const client = { OIDC_CLIENT_ID: 'tidings', OIDC_CLIENT_SECRET: 'secret' };

  it.each([
    'https://id.example.com/realms/staff',
    'http://localhost:9000',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
  ])('may be %s', (issuer) => {
    expect(readProvider({ ...client, OIDC_ISSUER: issuer }).OIDC_ISSUER).toBe(issuer);
  });

  it('is reached over HTTPS elsewhere', () => {
    expect(() => readProvider({ ...client, OIDC_ISSUER: 'http://id.example.com' })).toThrow(
      'OIDC_ISSUER: must be https',
    );
  });

  it.each([{ OIDC_ISSUER: 'https://id.example.com' }, client, { OIDC_ONLY: 'true' }])(
    'needs all its settings, of which these are a part: %j',
    (environment) => {
      expect(() => readProvider(environment as Record<string, string>)).toThrow('OIDC_ISSUER: needs OIDC_CLIENT_ID');
    },
  );
});
