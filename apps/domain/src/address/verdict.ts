import type { addressRequests, Data } from '#contracts';
import { isFixtureAddress, parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import type { AddressLists } from './address-lists.js';
import { suggestedDomain } from './suggestion.js';

export type AddressVerdict = Data<(typeof addressRequests)['calls']['verify_email_address']>;

export type MailRoute =
  /** It has mail servers, or an address that mail goes to without (RFC 5321 section 5.1). */
  | { kind: 'mx' | 'address' }
  /** It declares that it accepts none (RFC 7505), or has neither, or does not exist. */
  | { kind: 'refuses' | 'nothing' }
  | { kind: 'unknown'; why: string };

/** Results of the checks of an address's domain; null for a check that was not made. */
export interface DomainFacts {
  route: MailRoute;
  spam: boolean;
}

/** An address of our form, or why the text is none. */
export function readAddress(text: string): { address: EmailAddress } | { problem: string } {
  if (/^\s*$/.test(text)) return { problem: 'The address is empty.' };
  if (/[<>]/.test(text.replace(/^"(?:[^"\\]|\\.)*"@/, '')))
    return { problem: 'Send the address alone, without a name and < >.' };
  const parsed = parseAddress(text, { allowIpLiteral: true });
  return parsed.ok ? { address: parsed.address } : { problem: `The address ${parsed.reason}.` };
}

export const malformed = (text: string, problem: string): AddressVerdict => ({
  success: false,
  code: 'invalid_format',
  error: problem,
  address: text.trim().slice(0, 320),
  domain: null,
  isFree: false,
  isDisposable: false,
  isRoleAccount: false,
  hasValidMX: null,
});

/** Whether DNS decides: not for test addresses, nor for those of a service of throw-away mailboxes. */
export const needsDns = (address: EmailAddress, lists: AddressLists): boolean =>
  !isFixtureAddress(address) && !lists.isDisposable(address.asciiDomain) && !isLiteral(address);

/** The verdict on an address; the first problem counts, in the order of the API text. */
export function verdictOf(address: EmailAddress, lists: AddressLists, facts: DomainFacts | null): AddressVerdict {
  const { local, domain, asciiDomain } = address;
  const better = suggestedDomain(asciiDomain);
  const route = facts?.route ?? null;
  const known = {
    address: `${local}@${domain}`,
    domain: asciiDomain,
    isFree: lists.isFree(asciiDomain),
    isDisposable: lists.isDisposable(asciiDomain),
    isRoleAccount: lists.isRole(address),
    hasValidMX: route && route.kind !== 'unknown' ? route.kind === 'mx' || route.kind === 'address' : null,
    ...(better !== null && { suggestion: `${local}@${better}` }),
  };
  const problem = problemOf(address, known.isDisposable, facts);
  const warnings = [
    ...(known.isRoleAccount ? [`${local}@ is usually a shared or an unread mailbox.`] : []),
    ...(route?.kind === 'address' ? [`${domain} has no MX record; mail goes to its address record.`] : []),
    ...(route?.kind === 'unknown'
      ? [`DNS did not answer whether ${domain} takes mail (${route.why}); try again later.`]
      : []),
    ...(better !== null && !problem ? [`Did you mean ${local}@${better}?`] : []),
  ];
  return { success: problem === null, ...problem, ...known, ...(warnings.length > 0 && { warnings }) };
}

type Problem = Required<Pick<AddressVerdict, 'code' | 'error'>>;

function problemOf(address: EmailAddress, isDisposable: boolean, facts: DomainFacts | null): Problem | null {
  const { domain } = address;
  if (isFixtureAddress(address)) {
    return { code: 'test_email', error: 'This is a test address: mail to it is accepted and never really sent.' };
  }
  if (isDisposable) return { code: 'disposable_email', error: `${domain} provides disposable mailboxes.` };
  if (facts?.spam) return { code: 'spam_domain', error: `${domain} is on the blocklist of spam domains.` };
  if (isLiteral(address)) return { code: 'invalid_domain', error: 'Mail is not sent to bare IP addresses.' };
  if (facts?.route.kind === 'refuses')
    return { code: 'invalid_domain', error: `${domain} says that it takes no mail.` };
  if (facts?.route.kind !== 'nothing') return null;
  return { code: 'invalid_domain', error: `${domain} has no mail server: no MX record, and no address.` };
}

const isLiteral = ({ asciiDomain }: EmailAddress): boolean => asciiDomain.startsWith('[');
