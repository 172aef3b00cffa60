import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { isDirectLoopback } from './operator-authenticator.js';

const request = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  ({ raw: { socket: { remoteAddress }, headers } }) as unknown as Pick<FastifyRequest, 'raw'>;

describe('a direct request from this machine', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('comes from %s', (address) =>
    expect(isDirectLoopback(request(address, { host: 'localhost:3000' }))).toBe(true),
  );

  it.each([
    undefined,
    '',
    '10.0.0.1',
    '128.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:0:127.0.0.1',
    'fe80::1',
    '::1%eth0',
    '127.0.0.1.example.com',
    '2001:db8::127.0.0.1',
  ])('does not come from %s', (address) => expect(isDirectLoopback(request(address))).toBe(false));

  it.each(['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])(
    'has no header %s, which a proxy on this machine adds, even where it is empty',
    (name) => {
      expect(isDirectLoopback(request('127.0.0.1', { [name]: '127.0.0.1' }))).toBe(false);
      expect(isDirectLoopback(request('::ffff:127.0.0.1', { [name]: '' }))).toBe(false);
    },
  );

  it('counts by its peer, whatever host it names', () => {
    expect(isDirectLoopback(request('127.0.0.1', { host: 'mail.example.com' }))).toBe(true);
    expect(isDirectLoopback(request('192.0.2.1', { host: 'localhost' }))).toBe(false);
  });
});
