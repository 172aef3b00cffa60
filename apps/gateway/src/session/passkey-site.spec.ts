import { describe, expect, it } from '@jest/globals';
import { passkeySiteOf } from './passkey-site.js';

const request = (host: string, protocol: 'http' | 'https' = 'https') => ({
  host,
  hostname: host.replace(/:\d+$/, ''),
  protocol,
});
const publicUrl = 'https://mail.example.com';

describe('the site of passkeys', () => {
  it('is the host of PUBLIC_URL', () =>
    expect(passkeySiteOf(request('mail.example.com'), publicUrl)).toEqual({
      id: 'mail.example.com',
      origin: 'https://mail.example.com',
    }));

  it('is localhost on this machine, by any port', () =>
    expect(passkeySiteOf(request('localhost:3100', 'http'), publicUrl)).toEqual({
      id: 'localhost',
      origin: 'http://localhost:3100',
    }));

  it.each(['evil.example', '127.0.0.1:3000', '[::1]:3000', 'mail.example.com.evil.example'])('is not %s', (host) =>
    expect(passkeySiteOf(request(host), publicUrl)).toBeNull(),
  );

  it('is no IP address, even where PUBLIC_URL is one', () =>
    expect(passkeySiteOf(request('192.0.2.1'), 'https://192.0.2.1')).toBeNull());
});
