import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from '#service-host';
import { deliveryEnvironment } from './config.js';

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

  it('is who tells of bounces, and nobody else', () => {
    expect([read('dsn'), read('webhook')]).toEqual(['dsn', 'webhook']);
    expect(() => read('')).toThrow('SMTP_FEEDBACK');
  });
});
