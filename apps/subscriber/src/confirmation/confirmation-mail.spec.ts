import { describe, expect, it } from '@jest/globals';
import { confirmationMail } from './confirmation-mail.js';

const url = 'https://mail.example/s/abc?x=1&y=2';

describe('the confirmation message', () => {
  it('asks in English, with the same link in both parts', () => {
    const mail = confirmationMail({ from: 'Ada & <Co>', url, country: null });
    expect(mail.subject).toBe('Please confirm your subscription to Ada & <Co>');
    expect(mail.html).toContain('href="https://mail.example/s/abc?x=1&amp;y=2"');
    expect(mail.html).toContain('Ada &amp; &lt;Co&gt;');
    expect(mail.html).not.toContain('<Co>');
    expect(mail.text).toContain(url);
    expect(mail.text).toContain('7 days');
  });

  it.each([
    ['FR', 'fr'],
    ['MC', 'fr'],
    ['GB', 'en'],
    ['CA', 'en'],
  ])('is written to readers in %s in %s', (country, language) => {
    expect(confirmationMail({ from: 'Ada', url, country }).html).toContain(`<html lang="${language}">`);
  });
});
