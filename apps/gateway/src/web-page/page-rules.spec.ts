import { describe, expect, it } from '@jest/globals';
import { languageOf } from './language.js';
import { markup } from '#html-template';
import { unsubscribedPage, unsubscribePage } from './recipient-pages.js';

describe('the language of a page', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['fr', 'fr'],
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['en-GB,en;q=0.9,fr;q=0.8', 'en'],
    ['de,fr;q=0.5,en;q=0.4', 'fr'],
    ['de-DE,de;q=0.9', 'en'],
    ['en;q=0.1, FR;q=0.2', 'fr'],
    ['*', 'en'],
    ['fr;q=0', 'en'],
    [`${'x,'.repeat(5000)}fr`, 'en'],
  ])('wished as %j is %s', (preference, language) => {
    expect(languageOf(preference)).toBe(language);
  });
});

describe('a page', () => {
  it('escapes all inserted values', () => {
    const evil = `"><script>alert('1')</script>&`;
    expect(markup`<p title="${evil}">${evil}</p>`.text).not.toMatch(/<script|title=""/);
    const { html } = unsubscribedPage({ language: 'en', from: evil }, { email: evil, resubscribable: true });
    expect(html).not.toContain('<script');
    expect(html).toContain('&lt;script&gt;');
  });

  it('is in the recipient’s language, and leaves out an unknown sender name', () => {
    expect(unsubscribePage({ language: 'fr', from: 'Ada' })).toMatchObject({
      status: 200,
      language: 'fr',
      html: expect.stringContaining('Ne plus recevoir d’e-mails de Ada ?'),
    });
    expect(unsubscribePage({ language: 'en', from: null }).html).toContain('stop receiving emails?');
  });
});
