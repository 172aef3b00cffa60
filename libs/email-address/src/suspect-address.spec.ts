import { describe, expect, it } from '@jest/globals';
import { isDisposableDomain, isRoleAddress } from './index.js';

describe('isRoleAddress', () => {
  it.each(['info', 'INFO', 'No-Reply', 'support+eu', 'postmaster', 'mailer-daemon'])('is true for %s@', (local) => {
    expect(isRoleAddress({ local })).toBe(true);
  });

  it.each(['ann', 'information', 'infos.ann', 'supporter', '', 'ann+info'])('is false for %j@', (local) => {
    expect(isRoleAddress({ local })).toBe(false);
  });
});

describe('isDisposableDomain', () => {
  it.each(['mailinator.com', 'MAILINATOR.com', 'ann.33mail.com', 'yopmail.fr', 'spaml.de'])(
    'is true for %s',
    (domain) => {
      expect(isDisposableDomain(domain)).toBe(true);
    },
  );

  it.each(['gmail.com', 'notmailinator.org', 'mailinator.com.evil.org', 'com', '', 'not a domain'])(
    'is false for %j',
    (domain) => {
      expect(isDisposableDomain(domain)).toBe(false);
    },
  );
});
