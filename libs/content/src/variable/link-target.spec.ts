import { describe, expect, it } from '@jest/globals';
import { addressFromValue, addressProblem, isTrackable, readTarget } from './link-target.js';

const own = { variable: 'unsubscribeUrl', fallback: null };

describe('readTarget', () => {
  it.each([
    ['https://shop.example/', ['https://shop.example/']],
    ['  https://shop.example/ ', ['https://shop.example/']],
    ['shop.example/x', ['https://shop.example/x']],
    ['www.shop.example', ['https://www.shop.example']],
    ['shop.example:8080/x', ['https://shop.example:8080/x']],
    ['//shop.example', ['https://shop.example']],
    ['mailto:a@x.example', ['mailto:a@x.example']],
    ['#top', ['#top']],
    ['/shop', ['/shop']],
    ['{{unsubscribeUrl}}', [own]],
    ['https://{{unsubscribeUrl}}', [own]],
    ['http://{{ UNSUBSCRIBEURL }}', [own]],
    ['%7B%7BunsubscribeUrl%7D%7D', [own]],
    ['https://%7B%7BunsubscribeUrl%7D%7D', [own]],
    ['https://x.example/?e={{email}}', ['https://x.example/?e=', { variable: 'email', fallback: null }]],
    ['javascript:alert(1)', ['#']],
  ])('reads %j', (written, parts) => {
    expect(readTarget(written)).toEqual({ parts, tag: null });
  });

  it('takes tag changes out of the address', () => {
    expect(readTarget('{{addTag:a,b}}{{removeTag:c}}https://x.example')).toEqual({
      parts: ['https://x.example'],
      tag: { add: ['a', 'b'], remove: ['c'] },
    });
  });
});

describe('isTrackable', () => {
  it.each([
    ['https://x.example', true],
    ['x.example', true],
    ['{{website}}', true],
    ['{{addTag:a}}', true],
    ['mailto:a@x.example', false],
    ['tel:+1', false],
    ['#top', false],
    ['{{unsubscribeUrl}}', false],
    ['https://{{preferencesUrl}}', false],
    ['{{onlineUrl}}#part', false],
    ['/relative', false],
    ['', false],
  ])('%j: %j', (written, trackable) => {
    expect(isTrackable(readTarget(written))).toBe(trackable);
  });
});

describe('addressProblem', () => {
  it.each([
    'https://x.example',
    'mailto:a@x.example',
    'tel:+44',
    'sms:+44',
    '#a',
    '/a',
    'a.example:80/x',
    '{{x}}',
    'https://x.example/a@b',
    'https://x.example/?q=javascript:x',
    '',
  ])('accepts %j', (address) => {
    expect(addressProblem(address, 'link')).toBeNull();
  });

  it('refuses a tag that no call could make, which a click would', () => {
    expect(addressProblem(`{{addTag:${'a'.repeat(64)},b}}`, 'link')).toBeNull();
    expect(addressProblem(`https://x.example{{removeTag:b,${'a'.repeat(65)}}}`, 'link')).toBe(
      'a tag has at most 64 characters',
    );
  });

  it('names the scheme and what to use instead', () => {
    expect(addressProblem('JavaScript:x', 'link')).toBe(
      '"javascript:" is not allowed in a link; use http, https, mailto, tel, sms',
    );
    expect(addressProblem('mailto:a@x.example', 'image')).toBe('"mailto:" is not allowed in an image; use http, https');
  });
});

describe('addressFromValue', () => {
  it.each([
    ['https://x.example/a b"c', 'https://x.example/a%20b%22c'],
    ['HTTP://x.example', 'HTTP://x.example'],
    ['x.example/shop', 'https://x.example/shop'],
    ['mailto:a@x.example', 'mailto:a@x.example'],
    [' https://x.example ', 'https://x.example'],
    ['javascript:alert(1)', null],
    ['java\tscript:alert(1)', null],
    ['data:text/html,x', null],
    ['https://a@b.example', null],
    ['a@b.example', null],
    ['https://', null],
    ['/path', null],
    ['word', null],
    ['', null],
  ])('%j becomes %j', (value, address) => {
    expect(addressFromValue(value, 'https://')).toBe(address);
  });
});
