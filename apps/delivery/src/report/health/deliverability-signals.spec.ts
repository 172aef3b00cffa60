import { describe, expect, it } from '@jest/globals';
import { compileMail, parseContent } from '#content';
import { contentProblems, judgeContent, judgeDomains, judgeUnsubscribing } from './deliverability-signals.js';

type Domains = Parameters<typeof judgeDomains>[0];

const record = (purpose: string, status: string, required: boolean) => ({ purpose, status, required });
const domain = (change: object) =>
  ({
    domain: 'shop.example',
    createdAt: '2026-05-01T00:00:00.000Z',
    sandbox: false,
    dkim: 'VERIFIED',
    mailFrom: 'VERIFIED',
    records: [record('DKIM', 'VERIFIED', true), record('DMARC', 'VERIFIED', false)],
    ...change,
  }) as unknown as Domains[number];
const verdicts = (domains: Domains) =>
  judgeDomains(domains, new Date('2026-05-20T00:00:00.000Z')).map(({ metric, verdict }) => `${metric} ${verdict}`);

const mail = (content: string, subject = 'News of May') => {
  const parsed = parseContent('MARKDOWN', content);
  if (!parsed.ok) throw new Error('not a document');
  const organization = { name: 'Shop', address: 'Rose Lane 1' };
  return compileMail({
    subject,
    preview: null,
    type: 'MARKDOWN',
    content: parsed.content,
    snippets: {},
    organization,
    footer: true,
  }).template;
};

describe('the signals of deliverability', () => {
  it('find a domain in order when all its records are there', () => {
    expect(verdicts([domain({})])).toEqual(['dns OK', 'alignment OK']);
  });

  it.each([
    ['no domain but the sandbox', [domain({ sandbox: true })], ['dns WARN', 'alignment WARN']],
    ['no DMARC', [domain({ records: [record('DMARC', 'PENDING', false)] })], ['dns WARN', 'alignment OK']],
    ['no MAIL FROM', [domain({ mailFrom: 'PENDING' })], ['dns OK', 'alignment WARN']],
    [
      'no DKIM key',
      [domain({ dkim: 'FAILED', records: [record('DKIM', 'FAILED', true)] })],
      ['dns CRITICAL', 'alignment CRITICAL'],
    ],
    [
      'no DKIM key of a domain that was added an hour ago',
      [
        domain({
          dkim: 'PENDING',
          records: [record('DKIM', 'PENDING', true)],
          createdAt: '2026-05-19T23:00:00.000Z',
        }),
      ],
      ['dns WARN', 'alignment WARN'],
    ],
  ])('judge %s', (_, domains, expected) => {
    expect(verdicts(domains)).toEqual(expected);
  });

  it('find an unsubscription in force within two days', () => {
    expect(judgeUnsubscribing(60)).toMatchObject({ value: 60, verdict: 'OK', threshold: 172_800 });
  });

  it.each([
    ['Spring is here, and with it [our new catalogue](https://shop.example/new).', 'News of May', []],
    ['[Buy](https://bit.ly/x)', 'News of May', ['has links through a shortener']],
    ['[Buy](http://192.0.2.7/x)', 'News of May', ['has links to a numeric address']],
    ['Hello there', 'LAST CHANCE TODAY', ['has a subject in capitals']],
    ['Hello there', 'Buy now!!!', ['has a subject with !!! or the like']],
    ['Ж'.repeat(60_000), 'News of May', ['is longer than 102 KB and is cut off by Gmail']],
  ])('read %.40s under "%s"', (content, subject, expected) => {
    expect(contentProblems(mail(content, subject))).toEqual(expected);
  });

  it('name the campaigns whose content is doubtful', () => {
    const judged = judgeContent([
      { campaignName: 'Good', template: mail('Hello there') },
      { campaignName: 'Loud', template: mail('Hello there', 'BUY BUY BUY NOW') },
    ]);
    expect(judged).toMatchObject({ metric: 'content', value: 1, verdict: 'WARN' });
    expect(judged.advice).toBe('"Loud" has a subject in capitals.');
  });
});
