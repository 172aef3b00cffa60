import { toAsciiDomain } from './email-address.js';
import type { EmailAddress } from './email-address.js';

const LOCAL_PREFIX = 'playwright-test-';
const DOMAINS = /(?:^|\.)(?:example\.(?:com|net|org)|test\.(?:com|net|org|dev)|(?:test|example|invalid|localhost))$/;

const split = (text: string): { local: string; domain: string } => {
  const trimmed = text.trim();
  const open = trimmed.endsWith('>') ? trimmed.lastIndexOf('<') : -1;
  const mailbox = (open < 0 ? trimmed : trimmed.slice(open + 1, -1)).trim();
  const at = mailbox.lastIndexOf('@');
  return at < 0 ? { local: '', domain: '' } : { local: mailbox.slice(0, at), domain: mailbox.slice(at + 1) };
};

/**
 * Whether mail to this address is accepted and never really sent ("Test-mode recipients" of the API text): the local
 * part starts with `playwright-test-`; the domain is or is under example.com/net/org or test.com/net/org/dev; or the
 * top-level domain is test, example, invalid or localhost. The display name does not count, nor do case, the quotes of
 * a local part and a domain's trailing dot.
 */
export const isFixtureAddress = (address: string | EmailAddress): boolean => {
  const { local, domain } = typeof address === 'string' ? split(address) : address;
  const asciiDomain = toAsciiDomain(domain.replace(/[.\u3002\uff0e\uff61]$/u, ''));
  if (local === '' || asciiDomain === null) return false;
  return local.replace(/^"/, '').toLowerCase().startsWith(LOCAL_PREFIX) || DOMAINS.test(asciiDomain);
};
