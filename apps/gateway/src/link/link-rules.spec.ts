import { describe, expect, it } from '@jest/globals';
import { AttemptLimiter } from './attempt-limiter.js';
import { hitOf } from './hit.js';
import { confirmationActionOf, linkActionOf, renameOf } from './link-form.js';
import { redirectTarget } from './redirect-target.js';

const message = {
  organizationId: 'org_1',
  messageId: 'msg_1',
  subscriberId: 'sub_1',
  campaignId: 'cmp_1',
  period: '2026-11',
};
const at = new Date('2026-11-21T10:00:00.000Z');

describe('a form of a subscription link', () => {
  it.each([
    ['List-Unsubscribe=One-Click', 'one-click'],
    ['--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--', 'one-click'],
    ['action=unsubscribe', 'unsubscribe'],
    ['action=resubscribe', 'resubscribe'],
    ['', 'unsubscribe'],
    ['action=anything', 'unsubscribe'],
    ['List-Unsubscribe=One-Click&action=resubscribe', 'one-click'],
  ])('%j asks to %s', (body, action) => {
    expect(linkActionOf(body)).toBe(action);
  });
});

describe('a form of the preference page', () => {
  it.each([
    ['action=rename&name=Ada+Lovelace', 'Ada Lovelace'],
    ['action=rename', ''],
    ['action=unsubscribe&name=Ada', null],
    ['name=Ada', null],
  ])('%j gives the name %j', (body, name) => {
    expect(renameOf(body)).toBe(name);
  });
});

describe('a form of the confirmation page', () => {
  it.each([
    ['action=confirm', 'confirm'],
    ['action=resend', 'resend'],
    ['', null],
    ['List-Unsubscribe=One-Click', null],
    ['action=unsubscribe', null],
  ])('%j asks for %j: only its buttons do anything', (body, action) => {
    expect(confirmationActionOf(body)).toBe(action);
  });
});

describe('the target of a click', () => {
  it.each([
    ['https://example.com/a?b=c%20d#e', 'https://example.com/a?b=c%20d#e'],
    ['https://example.com/é x', 'https://example.com/%C3%A9%20x'],
    ['https://example.com/\r\nset-cookie: a', 'https://example.com/%0D%0Aset-cookie:%20a'],
    ['mailto:ada@example.com', 'mailto:ada@example.com'],
    ['javascript:alert(1)', null],
    ['//evil.example', null],
    ['', null],
  ])('%j becomes %j', (target, location) => {
    expect(redirectTarget(target)).toBe(location);
  });
});

describe('a hit', () => {
  it('is an open, or a click with its link', () => {
    expect(hitOf(message, 'Mail/1', at)).toEqual({
      hitId: expect.any(String),
      kind: 'open',
      organizationId: 'org_1',
      messageId: 'msg_1',
      period: '2026-11',
      linkNumber: null,
      url: null,
      at: '2026-11-21T10:00:00.000Z',
      userAgent: 'Mail/1',
    });
    expect(hitOf({ ...message, link: 0, target: 'https://a.example' }, undefined, at)).toMatchObject({
      kind: 'click',
      linkNumber: 0,
      url: 'https://a.example',
      userAgent: null,
    });
  });

  it('is not counted for a preview, which has no message', () => {
    expect(hitOf({ ...message, messageId: null }, 'Mail/1', at)).toBeNull();
  });
});

describe('the attempt limiter', () => {
  it('counts each key in its window', () => {
    let now = 0;
    const limiter = new AttemptLimiter({ attemptsMax: 2, windowMs: 100, keysMax: 10 }, () => now);
    expect([1, 2, 3].map(() => limiter.allows('a'))).toEqual([true, true, false]);
    expect(limiter.allows('b')).toBe(true);
    now = 100;
    expect(limiter.allows('a')).toBe(true);
  });
});
