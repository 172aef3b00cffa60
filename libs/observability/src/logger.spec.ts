import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

function written(level: string, facts: object, message = 'told'): string {
  const lines: string[] = [];
  const log = createLogger('spec', level, { write: (line) => void lines.push(line) });
  log.info(facts, message);
  log.warn(facts, message);
  return lines.join('');
}

const token = `tdg_${'aB3'.repeat(13)}x`;

describe('a line of the log', () => {
  it.each([
    ['an address', { reason: '550 5.1.1 <ada@example.com>: unknown' }, 'ada', '<[address]>'],
    ['an address in other letters', { reason: 'никто: Адам@почта.рф fehlt' }, 'Адам', '[address] fehlt'],
    ['an address without a dot', { reason: 'to=root@localhost' }, 'root', 'to=[address]'],
    [
      'a password in an address of a server',
      { url: 'smtp://user:hunter2@relay:587' },
      'hunter2',
      '://[secret]@relay:587',
    ],
    ['an API token', { call: `POST with ${token}` }, token, 'tdg_[secret]'],
    ['a header', { reason: 'Authorization: Bearer short-one' }, 'short-one', 'Bearer [secret]'],
    ['a link', { path: `/u/${'0a1b'.repeat(20)}` }, '0a1b0a1b', '/u/[secret]'],
    ['a key', { pem: '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----' }, 'MIIE', '"[secret]"'],
    ['what is called a secret', { facts: { password: 'p', token: 't' } }, '"p"', '"password":"[Redacted]"'],
  ])('hides %s', (_what, facts, hidden, shown) => {
    const line = written('info', facts);
    expect(line).not.toContain(hidden);
    expect(line).toContain(shown);
  });

  it('says of an error where and why, and not which row it was about', () => {
    const driver = Object.assign(new Error('duplicate key value'), { code: '23505', detail: 'Key (name)=(Zerlina)' });
    const error = Object.assign(new Error('insert failed', { cause: driver }), {
      parameters: ['Zerlina'],
      query: 'insert',
    });
    const [line] = written('warn', { err: error }).split('\n');
    expect(JSON.parse(line!)).toMatchObject({
      err: {
        type: 'Error',
        message: 'insert failed',
        cause: { code: '23505' },
        stack: expect.stringContaining('spec.ts'),
      },
    });
    expect(line).not.toContain('Zerlina');
  });

  it('keeps what a reader needs: ids, paths, packages, addresses of servers', () => {
    const facts = {
      requestId: '0193a1c2-7c1e-7d3a-9f6b-0123456789ab',
      organizationId: 'org_01jdx4s6ek5h3rkwq8vme9n7tz',
      at: 'file:///app/node_modules/@nestjs/core/router.js:10:5',
      relay: 'relay.example.com:587',
    };
    expect(JSON.parse(written('warn', facts))).toMatchObject(facts);
  });

  it('shows addresses at the most detailed level only, and secrets at none', () => {
    const line = written('debug', { to: 'ada@example.com', url: 'nats://hunter2@nats:4222' });
    expect(line).toContain('ada@example.com');
    expect(line).not.toContain('hunter2');
  });
});
