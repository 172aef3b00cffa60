import { describe, expect, it } from '@jest/globals';
import { isFixtureAddress, parseAddress } from './index.js';

describe('isFixtureAddress', () => {
  it.each([
    'playwright-test-1@gmail.com',
    'PlayWright-Test-x@site.org',
    '"playwright-test-x y"@site.org',
    'playwright-test-@site.org',
    'ann@example.com',
    'ann@example.net',
    'ann@example.org',
    'ann@mail.eu.example.org',
    'ANN@EXAMPLE.COM',
    'ann@test.com',
    'ann@test.net',
    'ann@test.org',
    'ann@test.dev',
    'ann@a.test.dev',
    'ann@shop.test',
    'ann@a.b.example',
    'ann@nowhere.invalid',
    'ann@app.localhost',
    'ann@localhost',
    'ann@test',
    'ann@münchen.test',
    'ann@example.com.',
    'ann@ｅxample.com',
    'ann@example。com',
    'Ann <ann@example.com>',
    '"Real, Person" <ann@test.com>',
    '"real@gmail.com" <ann@shop.test>',
    ' ann@example.com ',
  ])('is true for %s', (text) => {
    expect(isFixtureAddress(text)).toBe(true);
  });

  it.each([
    'ann@gmail.com',
    'ann@example.edu',
    'ann@contest.com',
    'ann@mytest.com',
    'ann@myexample.com',
    'ann@example.com.evil.org',
    'ann@test.company',
    'ann@test.co',
    'ann@test.io',
    'ann@example.co.uk',
    'ann@shop.testing',
    'ann@localhost.org',
    'ann@invalid.com',
    'ann@tеst.com', // Cyrillic е
    'ann@exam-ple.com',
    'ann+playwright-test-1@gmail.com',
    'my-playwright-test-1@gmail.com',
    'playwright-tests@gmail.com',
    'playwright-test@gmail.com',
    'example.com@gmail.com',
    '"ann@example.com"@gmail.com',
    'ann@demo.internal',
    'Playwright <real@gmail.com>',
    '"x@example.com" <real@gmail.com>',
    'playwright-test-1 <real@gmail.com>',
    'example.com',
    'playwright-test-1',
    '@',
    '',
  ])('is false for %j', (text) => {
    expect(isFixtureAddress(text)).toBe(false);
  });

  it('answers for a parsed address as for its text', () => {
    for (const [text, expected] of [
      ['Ann <ann@Mail.Example.com>', true],
      ['ann@example.edu', false],
    ] as const) {
      const result = parseAddress(text);
      expect(result.ok && isFixtureAddress(result.address)).toBe(expected);
    }
  });
});
