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
