import { describe, expect, it } from '@jest/globals';
import { hasUnsubscribeLink } from './content-references.js';
import type { Content, DocumentNode } from '../document/document.js';
import { compileMail } from '../template/compile-mail.js';
import { renderMail } from '../template/render-mail.js';

const text = (value: string, ...marks: [string, Record<string, unknown>?][]): DocumentNode => ({
  type: 'text',
  text: value,
  marks: marks.map(([type, attrs]) => ({ type, ...(attrs ? { attrs } : {}) })),
});
const link = (href: string): [string, Record<string, unknown>] => ['link', { href }];
const paragraph = (...content: DocumentNode[]): DocumentNode => ({ type: 'paragraph', content });
const doc = (...content: DocumentNode[]): DocumentNode => ({ type: 'doc', content });

const snippets = {
  snp_1: {
    name: 'Bye',
    content: doc(
      paragraph(text('Yours, '), text('Grace', ['bold'], ['textStyle', { color: '#ff0000' }])),
      paragraph(text('Leave', link('{{unsubscribeUrl}}'))),
    ),
  },
  snp_2: {
    name: 'Mixed',
    content: doc(
      paragraph(text('For all')),
      { ...paragraph(text('SECRET')), attrs: { showIfKey: 'phone' } },
      { type: 'image', attrs: { src: 'https://x.example/a.png', alt: 'A', width: 20, href: 'https://x.example' } },
    ),
  },
  snp_3: { name: 'Word', content: doc(paragraph(text('one'))) },
  snp_4: { name: 'Lines', content: doc(paragraph(text('one')), paragraph(text('two'))) },
};

const render = (content: Content, subject = 'S') => {
  const type = typeof content === 'string' ? 'MARKDOWN' : 'MAILY';
  const organization = { name: 'Org', address: null };
  const { template, warnings } = compileMail({
    subject,
    preview: null,
    type,
    content,
    snippets,
    organization,
    footer: false,
  });
  const links = {
    unsubscribeUrl: 'https://u.example',
    preferencesUrl: 'https://p.example',
    onlineUrl: 'https://v.example',
  };
  const mail = renderMail(template, { values: {}, currentYear: 2026, links });
  const html = mail.html.slice(mail.html.indexOf('<body')).replace(/ (?:class|target)="[^"]*"/g, '');
  return { ...mail, html, codes: warnings.map(({ code }) => code) };
};

describe('a snippet named within a line', () => {
  const inDocument = doc(paragraph(text('So long. {{snippet:Bye}} Or not.')));
  const inMarkdown = 'So long. {{snippet:Bye}} Or not.';

  it.each<[string, Content]>([
    ['a document', inDocument],
    ['Markdown', inMarkdown],
  ])('keeps its blocks apart, its links and its look in %s', (_where, content) => {
    const { text: plain, html } = render(content);
    expect(plain).toBe('So long. Yours, Grace\nLeave (https://u.example) Or not.\n');
    expect(html).toMatch(
      /So long\. Yours, <span style="color:#ff0000"><strong>Grace<\/strong><\/span><br><a href="https:\/\/u\.example"[^>]*>Leave<\/a> Or not\./,
    );
    expect(hasUnsubscribeLink(typeof content === 'string' ? 'MARKDOWN' : 'MAILY', content, snippets)).toBe(true);
  });

  it.each<[string, Content]>([
    ['a document', doc(paragraph(text('A {{snippet:Mixed}} B')))],
    ['Markdown', 'A {{snippet:Mixed}} B'],
  ])('leaves out what only some may see, and says so, in %s', (_where, content) => {
    const { text: plain, html, codes } = render(content);
    expect(plain).not.toContain('SECRET');
    expect(html).not.toContain('SECRET');
    expect(html).toMatch(/A For all<br><a href="https:\/\/x\.example"[^>]*><img src="https:\/\/x\.example\/a\.png"/);
    expect(codes).toContain('SNIPPET_IN_LINE');
  });

  it('is one line of words in a subject', () => {
    expect(render(doc(), 'Hi {{snippet:Lines}}!')).toMatchObject({ subject: 'Hi one two!', codes: [] });
  });

  it.each<[string, Content]>([
    ['a document', doc(paragraph(text('{{snippet:Word}}', link('https://x.example'))))],
    ['Markdown', '[{{snippet:Word}}](https://x.example)'],
    ['a document with links of the snippet', doc(paragraph(text('{{snippet:Bye}}', link('https://x.example'))))],
  ])('is linked where the text around it is, in %s', (_where, content) => {
    const { html } = render(content);
    expect(html).toContain('<a href="https://x.example"');
    expect(html).not.toContain('https://u.example');
  });

  it('is reported in the text of a table, as images are', () => {
    const table = '| What | Picture |\n|---|---|\n| {{snippet:Lines}} | ![Peas](https://x.example/a.png) |';
    expect(render(table).text).toContain('one two | Peas');
  });

  it('takes the look of the text around it', () => {
    expect(render(doc(paragraph(text('a {{snippet:Word}}', ['bold'])))).html).toContain('<strong>one</strong>');
  });
});
