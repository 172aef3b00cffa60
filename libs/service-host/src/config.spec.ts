import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { readEnvironment } from './config.js';

const schema = z.object({
  RENDER_THREADS: z.coerce.number().default(2),
  CAMPAIGN_LEASE_SECONDS: z.coerce.number().min(1).default(30),
});

describe('a setting that was renamed', () => {
  const warn = jest.fn<(message: string) => void>();
  const { emitWarning } = process;
  beforeEach(() => {
    warn.mockClear();
    process.emitWarning = warn;
  });
  afterEach(() => {
    process.emitWarning = emitWarning;
  });

  it('is read under its former name, with one warning that names both', () => {
    expect(readEnvironment(schema, { MAKING_THREADS: '7' }).RENDER_THREADS).toBe(7);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'The setting MAKING_THREADS was renamed to RENDER_THREADS. The old name stops working in the next release.',
    ]);
  });

  it('is converted where its unit changed', () => {
    expect(readEnvironment(schema, { CAMPAIGN_LEASE_MS: '1500' }).CAMPAIGN_LEASE_SECONDS).toBe(1.5);
    expect(() => readEnvironment(schema, { CAMPAIGN_LEASE_MS: 'soon' })).toThrow('CAMPAIGN_LEASE_SECONDS: ');
  });

  it('is read from schemas that transform their output', () => {
    const transformed = schema.transform((read) => ({ ...read, more: true }));
    expect(readEnvironment(transformed, { MAKING_THREADS: '7' })).toMatchObject({ RENDER_THREADS: 7, more: true });
  });

  it('is refused under two names with different values, and taken with equal ones', () => {
    const both = { MAKING_THREADS: '7', RENDER_THREADS: '8' };
    expect(() => readEnvironment(schema, both)).toThrow('MAKING_THREADS: was renamed to RENDER_THREADS');
    expect(readEnvironment(schema, { ...both, MAKING_THREADS: '8' }).RENDER_THREADS).toBe(8);
    expect(readEnvironment(schema, { ...both, MAKING_THREADS: '' }).RENDER_THREADS).toBe(8);
  });

  it('is ignored by a service that does not read it', () => {
    readEnvironment(schema, { PAUSE_ON_TROUBLE: 'false' });
    expect(warn).not.toHaveBeenCalled();
  });
});
