import { describe, expect, it } from '@jest/globals';
import { isPublicAddress, isPublicHost } from './public-address.js';

describe('isPublicAddress', () => {
  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.1.2.3'],
    ...['169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.192'],
    ...['192.0.2.1', '192.88.99.1', '192.168.0.1', '192.168.255.255', '198.18.0.1', '198.19.255.255', '198.51.100.7'],
    ...['203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::7f00:1',
      '::a9fe:a9fe',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:10.0.0.1',
      '::ffff:8.8.8.8',
    ],
    ...[
      '64:ff9b::7f00:1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:0:53aa:64c::1',
      '2001:db8::1',
    ],
    ...['2002:7f00:1::', '2002:a00:1::1', '3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
    ...['ff02::1', '5f00::1', '', 'localhost', '127.1', '2130706433', '0x7f000001'],
  ])('refuses %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.0.1.1',
    '223.255.255.254',
    '2606:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
  ])('allows %s', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('isPublicHost', () => {
  it.each([
    ['mail.shop.example', true],
    ['8.8.8.8', true],
    ['[2606:4700::1]', true],
    ['localhost', false],
    ['api.localhost.', false],
    ['server', false],
    ['nas.local', false],
    ['mail.tidings.internal', false],
    ['127.0.0.1', false],
    ['192.168.1.2', false],
    ['[::1]', false],
  ])('%s: %s', (host, expected) => {
    expect(isPublicHost(host)).toBe(expected);
  });
});
