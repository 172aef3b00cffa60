import type { MailTemplate } from '#content';
import type { Data, domainTools, Judgement } from '#contracts';

type SendingDomain = Data<(typeof domainTools)['calls']['list_domains']>['domains'][number];

/** Published records are seen everywhere within a day: the usual time to live at the longest. */
const settlingMs = 24 * 3600 * 1000;

/**
 * Checks the records that mailbox providers look for, and whether bounces return to the same organizational domain. A
 * record missing from a domain that was added within a day is a warning, since its owner is still publishing the
 * records.
 */
export function judgeDomains(all: readonly SendingDomain[], now: Date): Judgement[] {
  const domains = all
    .filter(({ sandbox }) => !sandbox)
    .map((domain) => ({ ...domain, isNew: now.getTime() - Date.parse(domain.createdAt) < settlingMs }));
  return [judgeDns(domains), judgeAlignment(domains)];
}

type Judged = SendingDomain & { isNew: boolean };

const named = (problems: readonly { domain: string; what: string }[]): string =>
  problems.map(({ domain, what }) => `${domain}: ${what}`).join('; ');
const noDomain = (metric: Judgement['metric']): Judgement => ({
  metric,
  value: 1,
  threshold: 1,
  verdict: 'WARN',
  advice: 'No sending domain of your own: mail leaves under a sandbox name. Add one with create_domain.',
});

function judgeDns(domains: readonly Judged[]): Judgement {
  if (domains.length === 0) return noDomain('dns');
  const problems = domains.flatMap(({ domain, records, isNew }) => {
    const wrong = records.filter(({ status }) => status !== 'VERIFIED');
    const what = `${wrong.map(({ purpose }) => purpose).join(', ')} not found as it should be`;
    return wrong.length > 0 ? { domain, what, critical: !isNew && wrong.some(({ required }) => required) } : [];
  });
  const advice =
    problems.length === 0
      ? 'All DNS records are found.'
      : `${named(problems)}. Correct the records (get_domain_dns_records) and run verify_domain.`;
  const verdict = problems.length === 0 ? 'OK' : problems.some(({ critical }) => critical) ? 'CRITICAL' : 'WARN';
  return { metric: 'dns', value: problems.length, threshold: 1, verdict, advice };
}

/** DMARC (RFC 7489 3.1): the domain of From must be that of the signature or, up to the organization, the return path's. */
function judgeAlignment(domains: readonly Judged[]): Judgement {
  if (domains.length === 0) return noDomain('alignment');
  const problems = domains.flatMap(({ domain, dkim, mailFrom, isNew }) => {
    if (dkim !== 'VERIFIED') return { domain, what: 'the DKIM key is not published', critical: !isNew };
    if (mailFrom !== 'VERIFIED')
      return { domain, what: 'bounces go to another domain, so SPF does not align', critical: false };
    return [];
  });
  const advice =
    problems.length === 0
      ? 'Signature and return path align with the From domain.'
      : `${named(problems)}. Publish the missing records (get_domain_dns_records).`;
  const verdict = problems.length === 0 ? 'OK' : problems.some(({ critical }) => critical) ? 'CRITICAL' : 'WARN';
  return { metric: 'alignment', value: problems.length, threshold: 1, verdict, advice };
}

/** Gmail and Yahoo: an unsubscription is in force within two days. */
const unsubscribeSecondsMax = 2 * 24 * 3600;

/** @param seconds how long a message may still be attempted with recipient data fetched before the unsubscription */
export const judgeUnsubscribing = (seconds: number): Judgement => ({
  metric: 'unsubscribeLatency',
  value: seconds,
  threshold: unsubscribeSecondsMax,
  verdict: seconds < unsubscribeSecondsMax ? 'OK' : 'CRITICAL',
  advice: `Unsubscriptions are in force before their page answers, and after at most ${seconds} s in a campaign that is just going out.`,
});

export interface SentContent {
  campaignName: string;
  template: MailTemplate;
}

/** Gmail cuts longer mail off and hides the unsubscribe link with it. */
const clippedOctets = 102 * 1024;
const shorteners = /^https?:\/\/(?:bit\.ly|tinyurl\.com|t\.co|goo\.gl|ow\.ly|is\.gd|buff\.ly|rebrand\.ly|cutt\.ly)\//i;
const numericHost = /^https?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|\[)/i;
const textMin = 150;

const literal = (segments: MailTemplate['html']): string =>
  segments.filter((segment) => typeof segment === 'string').join('');

/** Lists the content problems that spam filters count, in words; their real rules are not public. */
export function contentProblems({ html, text, subject, links }: MailTemplate): string[] {
  const [page, words, title] = [literal(html), literal(text), literal(subject)];
  const letters = title.replace(/[^\p{L}]/gu, '');
  const shouts = letters.length >= 8 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
  const problems: [boolean, string][] = [
    [Buffer.byteLength(page) > clippedOctets, 'is longer than 102 KB and is cut off by Gmail'],
    [shouts, 'has a subject in capitals'],
    [/[!?$€£]{3}/u.test(title), 'has a subject with !!! or the like'],
    [links.some((link) => shorteners.test(link)), 'has links through a shortener'],
    [links.some((link) => numericHost.test(link)), 'has links to a numeric address'],
    [/<img\b/i.test(page) && words.trim().length < textMin, 'is made of images with hardly any text'],
  ];
  return problems.flatMap(([found, what]) => (found ? [what] : []));
}

export function judgeContent(sent: readonly SentContent[]): Judgement {
  const found = sent
    .map(({ campaignName, template }) => ({ campaignName, problems: contentProblems(template) }))
    .filter(({ problems }) => problems.length > 0);
  const advice =
    found.length === 0
      ? 'Nothing in the last campaigns is known to bother content filters.'
      : `${found.map(({ campaignName, problems }) => `"${campaignName}" ${problems.join(' and ')}`).join('; ')}.`;
  return { metric: 'content', value: found.length, threshold: 1, verdict: found.length === 0 ? 'OK' : 'WARN', advice };
}
