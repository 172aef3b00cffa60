import { describe, expect, it } from '@jest/globals';
import type { SenderFacts } from '#contracts';
import { RemoteFailure, ToolError } from '#tool-call';
import type { Campaign } from '../campaign/campaign.js';
import { campaignProgress } from '../campaign/campaign-progress.tools.js';
import { failureOfStart, retrySeconds, senderFailure, waitingText } from './send.js';

const remote = (code: 'INVALID_STATE' | 'INTERNAL' | 'UNAVAILABLE' | 'TIMEOUT' | 'RATE_LIMITED') =>
  new RemoteFailure({ code, message: 'The tag "x" no longer exists.' });

describe('a start that went wrong', () => {
  it('fails the campaign with the message of the refusal', () => {
    expect(failureOfStart(remote('INVALID_STATE'), 1)).toBe('Nothing was sent: The tag "x" no longer exists.');
    expect(failureOfStart(new ToolError('SNIPPET_NOT_FOUND', { id: 'Legal' }), 1)).toContain('Legal');
  });

  it.each(['INTERNAL', 'UNAVAILABLE', 'TIMEOUT', 'RATE_LIMITED'] as const)('is tried again after %s', (code) => {
    expect(failureOfStart(remote(code), 1)).toBeNull();
  });

  it('is tried again after a defect, ten times', () => {
    expect(failureOfStart(new Error('?'), 9)).toBeNull();
    expect(failureOfStart(new Error('?'), 10)).toContain('defect on our side');
  });

  it('waits longer each time, at most half a minute, and says why without internals', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map(retrySeconds)).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(waitingText(remote('UNAVAILABLE'))).toBe('The tag "x" no longer exists.');
    expect(waitingText(new Error('relation "x" does not exist'))).not.toContain('relation');
  });

  it('distinguishes a deleted sender from a sender with an unverified domain', () => {
    expect(senderFailure(null)).toContain('deleted');
    expect(senderFailure({ domain: 'acme.example' } as SenderFacts)).toContain('acme.example');
  });
});

describe('progress', () => {
  const campaign = { id: 'cmp_1', status: 'SENDING', waitingFor: null } as Campaign;
  const send = {
    sendId: 'send_1',
    campaignId: 'cmp_1',
    state: 'RUNNING' as const,
    pausedReason: null,
    waitingFor: null,
    deferred: 1,
    sent: 600,
    delivered: 590,
    bounced: 10,
    failed: 2,
    skipped: { UNSUBSCRIBED: 3 },
    inDoubt: 1,
    startedAt: '2026-05-01T10:00:00.000Z',
    finishedAt: null,
    ratePerSecond: 40,
  };

  it.each([
    [1000, 394, 60.6],
    [3, 1, 66.6],
    [1000, 1, 99.9],
    [100_000, 1, 99.9],
    [1000, 0, 100],
    [0, 0, 0],
  ])('of %d with %d pending is %d percent: 100 only when no message is pending', (total, pending, percent) => {
    expect(campaignProgress(campaign, { ...send, total, pending }).percent).toBe(percent);
  });
});
