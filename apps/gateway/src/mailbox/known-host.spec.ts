import { describe, expect, it } from '@jest/globals';
import { isKnownHost } from './known-host.js';

describe('the hosts that the mailbox answers to', () => {
  it.each([
    'localhost',
    'LOCALHOST:3000',
    '127.0.0.1:3000',
    '127.1.2.3',
    '[::1]:3000',
    'mail.example.org',
    'mail.example.org:8080',
  ])('include %s', (host) => expect(isKnownHost(host, 'https://mail.example.org')).toBe(true));

  it.each([undefined, '', 'evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'a b'])(
    'do not include %s',
    (host) => expect(isKnownHost(host, 'https://mail.example.org')).toBe(false),
  );
});
