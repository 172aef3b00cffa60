import { describe, expect, it } from '@jest/globals';
import { isMachineHit } from './classify-hit.js';

const acceptedAt = new Date('2026-05-04T10:00:00Z');
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const judge = (
  kind: 'open' | 'click',
  userAgent: string | null,
  afterMs = 60_000,
  accepted: Date | null = acceptedAt,
) => isMachineHit({ kind, userAgent, at: new Date(acceptedAt.getTime() + afterMs), acceptedAt: accepted });

describe('isMachineHit', () => {
  it.each([
    [firefox, 'person', 'person'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile',
      'person',
      'person',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
      'person',
      'person',
    ],
    // A make of phones.
    [
      'Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 40) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
      'person',
      'person',
    ],
    ['Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)', 'person', 'person'],
    ['YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html', 'person', 'person'],
    ['Mozilla/5.0', 'person', 'machine'],
    ['', 'machine', 'machine'],
    [null, 'machine', 'machine'],
    ['curl/8.5.0', 'machine', 'machine'],
    ['python-requests/2.32', 'machine', 'machine'],
    ['Go-http-client/2.0', 'machine', 'machine'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1)', 'machine', 'machine'],
    ['Mozilla/5.0 HeadlessChrome/140.0', 'machine', 'machine'],
    ['BarracudaCentral/1.0', 'machine', 'machine'],
  ])('%s opens like a %s and clicks like a %s', (agent, opens, clicks) => {
    expect(judge('open', agent) ? 'machine' : 'person').toBe(opens);
    expect(judge('click', agent) ? 'machine' : 'person').toBe(clicks);
  });

  it('classifies every hit within two seconds as a scanner’s', () => {
    expect([0, 1999, 2000].map((ms) => judge('click', firefox, ms))).toEqual([true, true, false]);
    expect(judge('open', 'GoogleImageProxy', 500)).toBe(true);
    expect(judge('open', firefox, -5000)).toBe(true);
  });

  it('does not apply that rule to a message without an acceptance time', () => {
    expect(judge('open', firefox, 0, null)).toBe(false);
  });
});
