import { afterEach, describe, expect, it } from '@jest/globals';
import { lengthen } from './pseudo.js';
import { chooseLanguage, defineTexts, translated } from './text.js';

const text = defineTexts('tags', {
  title: 'Tags',
  found: { one: '{count} tag', other: '{count} tags' },
  hello: 'Hi {name}',
});

describe('texts', () => {
  afterEach(() => chooseLanguage('en', {}));

  it('are English where no other language is chosen, with numbers and plurals of it', () => {
    expect(text('found', { count: 1 })).toBe('1 tag');
    expect(text('found', { count: 12_431 })).toBe('12,431 tags');
    expect(text('hello')).toBe('Hi {name}');
  });

  it('are those of the chosen language, and English where it has none', () => {
    chooseLanguage('de', {
      tags: { found: { one: 'ein Tag', other: '{count} Tags' } },
      reasons: { TAG_IN_USE: 'In Benutzung.' },
    });
    expect(text('found', { count: 1 })).toBe('ein Tag');
    expect(text('found', { count: 12_431 })).toBe('12.431 Tags');
    expect(text('title')).toBe('Tags');
    expect(translated('reasons', 'TAG_IN_USE')).toBe('In Benutzung.');
    expect(translated('reasons', 'OTHER')).toBeUndefined();
  });

  it('are at least 30 % longer in the pseudo-language, with their values as they are', () => {
    chooseLanguage('qps-ploc', {}, lengthen);
    expect(text('hello', { name: 'Ada' })).toMatch(/^Hï Ada/);
    expect(text('title').length).toBeGreaterThanOrEqual('Tags'.length * 1.3);
  });
});
