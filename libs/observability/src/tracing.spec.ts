import { describe, expect, it } from '@jest/globals';
import { startTracing, traced, traceparent } from './tracing.js';

describe('disabled tracing', () => {
  it('does the work and nothing else', async () => {
    await startTracing('spec');
    const facts = { kind: 'server', parent: 'root' } as const;
    const seen = await traced('work', facts, (span) => {
      span.set({ 'tidings.outcome': 'OK' });
      return Promise.resolve(traceparent());
    });
    expect(seen).toBeUndefined();
    await expect(traced('work', facts, () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
  });
});
