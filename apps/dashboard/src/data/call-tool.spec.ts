import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { callTool } from './call-tool.js';
import { onPrompts, waitingPrompts } from './prompts.js';
import { callSession, noteSession, setOrganization } from './session.js';
import type { Session } from './session.js';
import { onWaits, waitingUntil } from './waits.js';

interface Sent {
  url: string;
  headers: Record<string, string>;
}
let sent: Sent[] = [];
/** The answers in their order. */
let answers: { status: number; body: object }[] = [];
const realFetch = globalThis.fetch;

const session = (csrf: string, userId = 'usr_1'): Session => ({
  session: { id: 'ses_1', signedInAt: '', expiresAt: '' },
  user: { id: userId, email: '', name: '', locale: null, timezone: null, operator: false },
  organizations: [],
  csrf,
});
const done = { status: 200, body: { success: true, data: { tags: [] } } };
const refused = { status: 403, body: { success: false, error: 'Refused.', code: 'FORBIDDEN', reason: 'CSRF_REFUSED' } };
const sessionRead = (csrf: string, userId?: string) => ({ status: 200, body: { data: session(csrf, userId) } });

beforeEach(() => {
  sent = [];
  noteSession(session('old'));
  setOrganization(1);
  globalThis.fetch = ((url: string, init: { headers: Record<string, string> }) => {
    sent.push({ url, headers: init.headers });
    const { status, body } = answers.shift()!;
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  }) as typeof fetch;
});
afterEach(() => {
  globalThis.fetch = realFetch;
  noteSession(null);
});

describe('callTool', () => {
  it('reads the session again after CSRF_REFUSED, and repeats the call once', async () => {
    answers = [refused, sessionRead('new'), done];
    await callTool('list_tags', {});
    expect(sent.map(({ url }) => url)).toEqual(['/api/v2/tools/list_tags', '/api/session', '/api/v2/tools/list_tags']);
    expect(sent[2]!.headers['tidings-csrf']).toBe('new');
    answers = [refused, sessionRead('newer'), refused];
    await expect(callTool('list_tags', {})).rejects.toMatchObject({ reason: 'CSRF_REFUSED' });
  });

  it('never repeats a call as another user', async () => {
    answers = [refused, sessionRead('new', 'usr_2')];
    await expect(callTool('list_tags', {})).rejects.toMatchObject({ reason: 'CSRF_REFUSED' });
    expect(answers).toEqual([]);
  });

  it('stays in the organization in which it began', async () => {
    answers = [refused, sessionRead('new'), done];
    const call = callTool('list_tags', {});
    setOrganization(2);
    await call;
    expect([sent[0], sent[2]].map((one) => one!.headers['tidings-organization'])).toEqual(['1', '1']);
  });

  it('waits until the instant of a 429, and says so meanwhile', async () => {
    const retryAt = new Date(Date.now() + 2_000).toISOString();
    const limited = { status: 429, body: { error: 'Too many calls.', code: 'RATE_LIMITED', retryAt } };
    answers = [limited, limited, limited, done];
    const call = callTool('list_tags', {});
    await new Promise<void>((resolve) => onWaits(resolve));
    expect(waitingUntil()!.toISOString()).toBe(retryAt);
    await call;
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(retryAt));
    expect(waitingUntil()).toBeNull();
  });

  it('answers a confirmation by itself where the page was the confirmation', async () => {
    const question = { success: false, error: 'CONFIRMATION_REQUIRED', confirmationCode: 'c', action: '', message: '' };
    answers = [{ status: 409, body: question }, done];
    await callTool('list_tags', {}, { isShown: true });
    expect(waitingPrompts()).toEqual([]);
    answers = [{ status: 409, body: question }];
    const asked = callTool('list_tags', {});
    await new Promise<void>((resolve) => onPrompts(resolve));
    waitingPrompts()[0]!.answer(false);
    await expect(asked).rejects.toThrow();
  });
});

describe('callSession', () => {
  it('repeats a call once after CSRF_REFUSED', async () => {
    answers = [refused, sessionRead('new'), done];
    await callSession('DELETE', '/others', {});
    expect(sent.map(({ headers }) => headers['tidings-csrf'])).toEqual(['old', 'old', 'new']);
  });
});
