import type { Email } from 'postal-mime';
import type { Envelope } from './mail-store.js';

export interface MailFact {
  name: string;
  value: string;
  verdict: 'good' | 'bad' | 'neutral';
}

/** Gmail clips HTML above this size and hides the unsubscribe link with it. */
const clippedOctets = 102 * 1024;
const subjectLengthMax = 70;

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
/** Alignment in relaxed mode (RFC 7489 section 3.1), by the last two labels: no list of public suffixes is needed here. */
const organizational = (domain: string): string => domain.split('.').slice(-2).join('.');
const isAligned = (a: string, b: string): boolean => organizational(a) === organizational(b);

/**
 * Facts of a mail that matter to spam filters: signature, alignment, one-click unsubscribe, parts and size. Nothing is
 * verified: DNS holds no keys for mail that stays on this machine.
 */
export function factsOf(email: Email, { from: envelopeFrom }: Envelope): MailFact[] {
  const fromDomain = domainOf(email.from?.address ?? '');
  return [
    signatureFact(headerOf(email, 'dkim-signature'), fromDomain),
    returnPathFact(envelopeFrom, fromDomain),
    unsubscribeFact(email),
    ...contentFacts(email),
  ];
}

const headerOf = (email: Email, key: string): string | undefined =>
  email.headers.find((header) => header.key === key)?.value;

function signatureFact(signature: string | undefined, fromDomain: string): MailFact {
  const name = 'DKIM signature';
  if (signature === undefined) return { name, value: 'none', verdict: 'bad' };
  const tag = (key: string) => new RegExp(`(?:^|;)\\s*${key}=([^;\\s]+)`).exec(signature)?.[1] ?? '';
  const domain = tag('d').toLowerCase();
  const aligned = isAligned(domain, fromDomain);
  const value = `d=${domain}, s=${tag('s')}, ${tag('a')}; ${aligned ? 'aligned with From' : `not aligned with ${fromDomain}`}`;
  return { name, value, verdict: aligned ? 'good' : 'bad' };
}

function returnPathFact(envelopeFrom: string, fromDomain: string): MailFact {
  const name = 'Return path';
  if (envelopeFrom === '') return { name, value: '<> (bounces are not returned)', verdict: 'neutral' };
  const aligned = isAligned(domainOf(envelopeFrom), fromDomain);
  const value = `${domainOf(envelopeFrom)}; SPF ${aligned ? 'can align' : 'cannot align'} with From`;
  return { name, value, verdict: aligned ? 'good' : 'neutral' };
}

/** Checks for RFC 8058 headers, which Gmail and Yahoo require of bulk senders. */
function unsubscribeFact(email: Email): MailFact {
  const name = 'Unsubscribe header';
  const link = headerOf(email, 'list-unsubscribe');
  if (link === undefined) return { name, value: 'none: bulk mail needs one', verdict: 'neutral' };
  const oneClick = /one-click/i.test(headerOf(email, 'list-unsubscribe-post') ?? '') && /<https:/i.test(link);
  const value = oneClick ? 'one-click over https' : 'without one-click over https';
  return { name, value, verdict: oneClick ? 'good' : 'neutral' };
}

function contentFacts({ html = '', text = '', subject = '' }: Email): MailFact[] {
  const octets = Buffer.byteLength(html);
  const images = html.match(/<img\b[^>]*>/gi) ?? [];
  const unnamed = images.filter((image) => !/\balt=/i.test(image)).length;
  const insecure = (html.match(/href=["']http:\/\//gi) ?? []).length;
  const links = (html.match(/<a\b[^>]*\bhref=/gi) ?? []).length;
  const judge = (name: string, value: string, good: boolean): MailFact => ({
    name,
    value,
    verdict: good ? 'good' : 'bad',
  });
  return [
    judge('Text part', text.trim() === '' ? 'none' : `${text.trim().length} characters`, text.trim() !== ''),
    judge('HTML size', `${(octets / 1024).toFixed(1)} KB; Gmail clips at 102 KB`, octets <= clippedOctets),
    judge('Subject', `${subject.length} characters`, subject !== '' && subject.length <= subjectLengthMax),
    judge('Images', `${images.length}, ${unnamed} without alt`, unnamed === 0),
    judge('Links', `${links}, ${insecure} without TLS`, insecure === 0),
  ];
}
