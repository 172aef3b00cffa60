import { describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '#contracts';
import { createLogger } from '#observability';
import { LocalBus } from '#testing';
import { tagChanger } from './link-effects.service.js';

describe('a tag change of a link', () => {
  /** Retries a change until it is accepted or given up. @returns number of calls to the owning service */
  const handOver = async (answer: (time: number) => ErrorCode | null, machine = false): Promise<number> => {
    const bus = new LocalBus();
    bus.serve('delivery', { handle: () => Promise.resolve({ ok: true, data: { machine } }) });
    let asked = 0;
    bus.serve('subscriber', {
      handle: () => {
        const code = answer(++asked);
        return Promise.resolve(code ? { ok: false, error: { code, message: 'no' } } : { ok: true, data: {} });
      },
    });
    const change = tagChanger(bus, createLogger('gateway', 'silent'));
    const link = {
      organizationId: 'org_1',
      messageId: null,
      subscriberId: 'sub_1',
      campaignId: null,
      period: '2026-11',
    };
    const click = { link: { ...link, link: 0, target: '' }, at: '2026-11-21T10:00:00.000Z', userAgent: 'Mail/1' };
    const effect = { kind: 'tags' as const, ...click, requestId: 'spec' };
    for (let tries = 0; tries < 1_000; tries++) {
      try {
        await change(effect);
        break;
      } catch {
        // Tried again.
      }
    }
    return asked;
  };

  it.each<[string, (time: number) => ErrorCode | null, number]>([
    ['is taken at once', () => null, 1],
    ['is tried again while nobody answers', (time) => (time < 500 ? 'UNAVAILABLE' : null), 500],
    ['is tried again after a failure that passes', (time) => (time < 3 ? 'INTERNAL' : null), 3],
    ['is given up when its owner fails without end', () => 'INTERNAL', 60],
    ['is given up when its owner refuses it', () => 'NOT_FOUND', 1],
  ])('%s', async (_what, answer, times) => {
    expect(await handOver(answer)).toBe(times);
  });

  it('is none where a machine followed the link', async () => {
    expect(await handOver(() => null, true)).toBe(0);
  });
});
