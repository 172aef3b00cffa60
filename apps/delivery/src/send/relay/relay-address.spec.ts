import { describe, expect, it } from '@jest/globals';
import { parseRelayUrl } from './relay-address.js';

describe('parseRelayUrl', () => {
  it.each([
    ['smtp://relay.shop.org', { host: 'relay.shop.org', port: 25, secure: false, startTls: 'offered', auth: null }],
    ['smtps://relay.shop.org', { port: 465, secure: true }],
    ['smtp://ann:p%40ss@relay.shop.org:587?tls=required', { port: 587, startTls: 'required' }],
    ['smtp://relay.shop.org?tls=unverified', { startTls: 'unverified' }],
    ['smtp://relay.shop.org?tls=nonsense', { startTls: 'offered' }],
    ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, startTls: 'off' }],
    ['smtp://[::1]:2525', { host: '::1', startTls: 'off' }],
    ['smtp://localhost?tls=required', { startTls: 'required' }],
  ])('%s', (url, expected) => expect(parseRelayUrl(url)).toMatchObject(expected));

  it('decodes the credentials', () => {
    expect(parseRelayUrl('smtp://ann%40b:p%3Ass@relay.shop.org').auth).toEqual({ user: 'ann@b', pass: 'p:ss' });
  });
});
