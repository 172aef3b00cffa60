import { describe, expect, it } from '@jest/globals';
import type { MessageState } from '../../message/message.js';
import { canRetry, reasonOf, statusOf } from './recipient.js';
import type { Ending } from './recipient.js';

const ended = (state: MessageState, change: Partial<Ending> = {}): Ending => ({
  state,
  skipReason: null,
  code: null,
  enhancedCode: null,
  response: null,
  ...change,
});

describe('a recipient of a campaign', () => {
  it.each<[Ending, string, string | null, string]>([
    [ended('QUEUED'), 'PENDING', null, 'NO'],
    [ended('HANDING_OVER'), 'PENDING', null, 'NO'],
    [ended('DEFERRED', { code: 450, response: '450 4.2.1 Later' }), 'PENDING', 'TRANSIENT', 'NO'],
    [ended('SENT'), 'SENT', null, 'NO'],
    [ended('DELIVERED'), 'DELIVERED', null, 'NO'],
    [ended('BOUNCED'), 'BOUNCED', null, 'NO'],
    [ended('COMPLAINED'), 'COMPLAINED', null, 'NO'],
    [ended('FAILED', { code: 550, enhancedCode: '5.1.1' }), 'FAILED', 'NO_SUCH_USER', 'NO'],
    [ended('FAILED', { code: 550, enhancedCode: '5.2.2' }), 'FAILED', 'MAILBOX_FULL', 'YES'],
    [ended('FAILED', { code: 554, enhancedCode: '5.7.1', response: 'blocked by list' }), 'FAILED', 'BLOCKED', 'YES'],
    [ended('FAILED', { code: 450, response: 'gave up' }), 'FAILED', 'TRANSIENT', 'YES'],
    [ended('SKIPPED', { skipReason: 'UNSUBSCRIBED' }), 'SKIPPED', 'UNSUBSCRIBED', 'NO'],
    [ended('SKIPPED', { skipReason: 'STOPPED' }), 'SKIPPED', 'STOPPED', 'NO'],
    [ended('SKIPPED', { skipReason: 'RENDER_FAILED' }), 'SKIPPED', 'RENDER_FAILED', 'YES'],
    [ended('IN_DOUBT'), 'IN_DOUBT', null, 'IF_ASKED'],
  ])('%j is %s for the reason %s and may be tried again: %s', (ending, status, reason, retry) => {
    expect([statusOf(ending.state), reasonOf(ending), canRetry(ending)]).toEqual([status, reason, retry]);
  });
});
