import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from '#service-host';
import { deliveryEnvironment, unreachableHosts } from './config.js';

const read = (SMTP_FEEDBACK?: string) =>
  readEnvironment(deliveryEnvironment, {
    DATABASE_URL: 'postgres://localhost/none',
    NATS_URL: 'nats://localhost',
    MASTER_KEY: '5f'.repeat(32),
    SMTP_URL: 'smtp://localhost',
    PUBLIC_URL: 'http://localhost',
    SMTP_FEEDBACK,
  }).SMTP_FEEDBACK;

describe('SMTP_FEEDBACK', () => {
  it('is none, said or not', () => {
    expect([read(), read('none')]).toEqual(['none', 'none']);
  });

  it('names the only source of bounces', () => {
    expect([read('dsn'), read('webhook')]).toEqual(['dsn', 'webhook']);
    expect(() => read('')).toThrow('SMTP_FEEDBACK');
  });
});

describe('unreachableHosts', () => {
  const config = { SMTP_URL: 'smtp://relay.example:587', PUBLIC_URL: 'https://mail.shop.example', MAIL_HOST: '' };

  it('finds nothing where links and bounces lead to public names', () => {
    expect(unreachableHosts(config)).toEqual([]);
  });

  it.each(['smtp://relay.example:2525', 'smtp://127.0.0.1:25', 'smtps://postfix'])(
    'names a PUBLIC_URL and a MAIL_HOST that %s would send into the world in vain',
    (SMTP_URL) => {
      const local = { ...config, SMTP_URL, PUBLIC_URL: 'http://localhost:3000' };
      expect(unreachableHosts(local)).toEqual([
        expect.stringContaining('PUBLIC_URL leads to localhost'),
        expect.stringContaining('MAIL_HOST is localhost'),
      ]);
      expect(unreachableHosts({ ...local, MAIL_HOST: 'mx.shop.example' })).toHaveLength(1);
    },
  );

  it('says nothing where mail goes to a catcher', () => {
    const local = { ...config, PUBLIC_URL: 'http://localhost:3000' };
    for (const SMTP_URL of ['smtp://127.0.0.1:1025', 'smtp://catcher:1025'])
      expect(unreachableHosts({ ...local, SMTP_URL })).toEqual([]);
  });
});
