import { describe, expect, it } from '@jest/globals';
import { trustedProxy } from './trusted-proxy.js';

describe('trustedProxy', () => {
  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fd00::1', true],
    ['2001:db8::1', false],
    ['', false],
  ])('finds %s in a list of addresses and networks: %s', (remoteAddress, expected) => {
    expect(trustedProxy(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])({ remoteAddress })).toBe(expected);
  });

  it('trusts every peer or none where the setting is a boolean', () => {
    expect(trustedProxy(true)({ remoteAddress: '192.0.2.8' })).toBe(true);
    expect(trustedProxy(false)({ remoteAddress: '127.0.0.1' })).toBe(false);
  });
});
