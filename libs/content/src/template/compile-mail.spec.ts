import { describe, expect, it } from '@jest/globals';
import { compileMail } from './compile-mail.js';
import type { CompileInput } from './compile-mail.js';
import { contentReferences, defaultContent, hasUnsubscribeLink, textReferences } from '../block/content-references.js';
import type { Content, DocumentNode } from '../document/document.js';
import { parseContent } from '../document/parse-content.js';
import { renderMail } from './render-mail.js';

const text = (value: string, href?: string): DocumentNode => ({
  type: 'text',
  text: value,
  ...(href !== undefined && { marks: [{ type: 'link', attrs: { href } }] }),
});
const paragraph = (...content: DocumentNode[]): DocumentNode => ({ type: 'paragraph', content });
const doc = (...content: DocumentNode[]): DocumentNode => ({ type: 'doc', content });
const vip = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
const signature = { name: 'Sign off', content: doc(paragraph(text('Leave', '{{unsubscribeUrl}}'))) };

const compile = (content: Content, given: Partial<CompileInput> = {}) =>
  compileMail({
    subject: 'Subject',
    preview: null,
    type: typeof content === 'string' ? 'MARKDOWN' : 'MAILY',
    content,
    snippets: {},
    organization: { name: 'Org', address: 'Street 1' },
    footer: true,
    ...given,
  });
const warnings = (content: Content, given: Partial<CompileInput> = {}) =>
  compile(content, given).warnings.map(({ code, path }) => [code, path]);

describe('hasUnsubscribeLink', () => {
  it.each<[string, Content, boolean]>([
    ['the default content', defaultContent(), true],
    ['a link', doc(paragraph(text('x', '{{unsubscribeUrl}}'))), true],
    ['a link with a scheme', doc(paragraph(text('x', 'https://{{ unsubscribeUrl }}'))), true],
    ['a button', doc({ type: 'button', attrs: { text: 'x', url: '{{unsubscribeUrl}}' } }), true],
    [
      'a footer in a section',
      doc({ type: 'section', content: [{ type: 'footer', content: [text('x', '{{unsubscribeUrl}}')] }] }),
      true,
    ],
    ['an html node', doc({ type: 'html', attrs: { content: '<a href="{{unsubscribeUrl}}">x</a>' } }), true],
    ['a snippet by id', doc({ type: 'snippet', attrs: { snippetId: 'snp_1' } }), true],
    ['a snippet by name', doc(paragraph(text('{{snippet:sign OFF}}'))), true],
    ['a block only some see', doc({ ...paragraph(text('x', '{{unsubscribeUrl}}')), attrs: { showIf: vip } }), true],
    ['Markdown', '[x]({{unsubscribeUrl}})', true],
    ['Markdown with spaces', '[x]( https://{{ unsubscribeUrl }} )', true],
    ['Markdown in angle brackets', 'Leave: <{{unsubscribeUrl}}>', true],
    ['Markdown in angle brackets on a line of its own', '<{{ unsubscribeUrl }}>', true],
    ['Markdown code', '`<{{unsubscribeUrl}}>`', false],
    ['a snippet in Markdown', 'Hello\n\n{{snippet:Sign off}}', true],
    ['the address in words', doc(paragraph(text('{{unsubscribeUrl}}'))), false],
    ['the preferences link', doc(paragraph(text('x', '{{preferencesUrl}}'))), false],
    ['an image', doc({ type: 'image', attrs: { src: '{{unsubscribeUrl}}' } }), false],
    ['nothing', doc(), false],
  ])('%s: %j', (_case, content, has) => {
    expect(hasUnsubscribeLink(typeof content === 'string' ? 'MARKDOWN' : 'MAILY', content, { snp_1: signature })).toBe(
      has,
    );
  });
});

describe('contentReferences', () => {
  it('lists snippets, variables, conditions and images', () => {
    const content = doc(
      paragraph(text('{{firstName}} {{company | "x"}} {{snippet:Sign off}}', 'https://x.example/{{city}}')),
      { type: 'snippet', attrs: { snippetId: 'snp_1', showIf: vip } },
      { ...paragraph(text('{{COMPANY}}')), attrs: { showIf: vip, showIfKey: 'phone' } },
      {
        type: 'section',
        content: [{ type: 'image', attrs: { src: 'https://x.example/a.png', alt: 'A {{name}}', width: 300 } }],
      },
    );
    expect(contentReferences('MAILY', content)).toEqual({
      snippets: ['Sign off', 'snp_1'],
      variables: ['firstName', 'company', 'city', 'phone', 'name'],
      showIf: [vip],
      images: [
        {
          path: ['content', 3, 'content', 0],
          src: 'https://x.example/a.png',
          alt: 'A {{name}}',
          width: 300,
          height: null,
        },
      ],
    });
  });

  it('lists those of a subject', () => {
    expect(textReferences('{{snippet:A}} {{name}} {{name | "x"}}')).toEqual({ snippets: ['A'], variables: ['name'] });
  });
});

describe('compileMail', () => {
  it('is plain JSON', () => {
    const { template } = compile(defaultContent());
    expect(JSON.parse(JSON.stringify(template))).toEqual(template);
  });

  it('numbers links by target, and leaves out uncounted links', () => {
    const { template } = compile(
      doc(
        paragraph(text('a', 'https://x.example/1'), text('b', 'https://x.example/2'), text('c', 'x.example/1')),
        paragraph(
          text('d', 'mailto:a@x.example'),
          text('e', '{{unsubscribeUrl}}'),
          text('f', '{{addTag:a}}'),
          text('g', 'https://x.example/{{city}}'),
        ),
      ),
    );
    expect(template.links).toEqual([
      'https://x.example/1',
      'https://x.example/2',
      '{{addTag:a}}',
      'https://x.example/{{city}}',
    ]);
  });

  it('lists distinct conditions and variables, the condition of a snippet too', () => {
    const club = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['club'] }];
    const { template } = compile(
      doc(
        { ...paragraph(text('{{Company}}')), attrs: { showIf: vip } },
        { ...paragraph(text('{{company}}')), attrs: { showIf: vip } },
        { type: 'snippet', attrs: { snippetId: 's' } },
      ),
      { snippets: { s: { name: 'S', content: doc({ ...paragraph(text('x')), attrs: { showIf: club } }) } } },
    );
    expect(template.showIf).toEqual([vip, club]);
    expect(template.variables).toEqual(['Company', 'unsubscribeUrl']);
  });

  it.each<[string, Content, Partial<CompileInput>, boolean]>([
    ['is added where the content has none', doc(paragraph(text('x'))), {}, true],
    [
      'is added where only some see it',
      doc({ ...paragraph(text('x', '{{unsubscribeUrl}}')), attrs: { showIf: vip } }),
      {},
      true,
    ],
    ['is not added where everybody sees one', doc(paragraph(text('x', '{{unsubscribeUrl}}'))), {}, false],
    ['is not added without a footer', doc(paragraph(text('x'))), { footer: false }, false],
  ])("the organization's unsubscribe link %s", (_case, content, given, added) => {
    expect(JSON.stringify(compile(content, given).template.html).includes('>Unsubscribe</a>')).toBe(added);
  });

  it("does not repeat an address that the content gives, and speaks the mail's language", () => {
    const { template } = compile('{{org-name}}, {{org-adresse}}', { language: 'fr-CA' });
    const html = JSON.stringify(template.html);
    expect(html.split('Street 1')).toHaveLength(2);
    expect(html).toContain('Se désabonner');
    expect(html).toContain('lang=\\"fr-CA\\"');
  });

  it.each<[string, Content, Partial<CompileInput>, unknown]>([
    [
      'an image without alt',
      doc({ type: 'image', attrs: { src: 'https://x.example/a', width: 20 } }, paragraph(text('x'.repeat(80)))),
      {},
      ['IMAGE_ALT_MISSING', ['content', 0]],
    ],
    ['images and hardly a word', '![a](https://x.example/a) ![b](https://x.example/b)', {}, ['IMAGE_HEAVY', undefined]],
    ['a missing fallback', doc(paragraph(text('{{company}}'))), {}, ['FALLBACK_MISSING', ['content', 0]]],
    ['a missing fallback in the subject', doc(), { subject: '{{name}}' }, ['FALLBACK_MISSING', ['subject']]],
    ['a missing fallback in the preview', doc(), { preview: '{{name}}' }, ['FALLBACK_MISSING', ['preview']]],
    ['a plain http link', doc(paragraph(text('x', 'http://x.example'))), {}, ['LINK_NOT_HTTPS', ['content', 0]]],
    ['a relative link', doc(paragraph(text('x', '/shop'))), {}, ['LINK_RELATIVE', ['content', 0]]],
    ...['/a.png', 'a.png', './a.png'].map((src): [string, Content, Partial<CompileInput>, unknown] => [
      `the image ${src}`,
      doc({ type: 'image', attrs: { src, alt: 'A', width: 20 } }, paragraph(text('x'.repeat(80)))),
      {},
      ['LINK_RELATIVE', ['content', 0]],
    ]),
    ['an empty paragraph', doc(paragraph(text(' '))), {}, ['PARAGRAPH_EMPTY', ['content', 0]]],
    [
      'a missing snippet',
      doc({ type: 'snippet', attrs: { snippetId: 'gone' } }),
      {},
      ['SNIPPET_MISSING', ['content', 0]],
    ],
    [
      'no postal address',
      '{{org-address}}',
      { organization: { name: 'O', address: null } },
      ['ORGANIZATION_ADDRESS_MISSING', undefined],
    ],
    ['the text of a new mail', 'Hello\n\nWrite your message here.', {}, ['CONTENT_UNTOUCHED', []]],
    ['the subject of a new mail', doc(), { subject: ' A new mail ' }, ['SUBJECT_UNTOUCHED', ['subject']]],
    ['a long subject', doc(), { subject: 'x'.repeat(151) }, ['SUBJECT_LONG', ['subject']]],
    ['more than 102 KB', 'word '.repeat(22_000), {}, ['HTML_TOO_LARGE', undefined]],
  ])('warns of %s', (_case, content, given, warning) => {
    expect(warnings(content, given)).toEqual([warning]);
  });

  it('warns in the default content only of the text that its author replaces', () => {
    expect(warnings(defaultContent())).toEqual([['CONTENT_UNTOUCHED', ['content', 1]]]);
  });

  it('warns of no text that goes on after the one that a new mail begins with', () => {
    expect(warnings('Write your message here. Then send it.')).toEqual([]);
  });

  it('warns of no missing fallback where a block shows only with that value', () => {
    const block = { ...paragraph(text('We call {{ phone }} or {{name}}.')), attrs: { showIfKey: 'phone' } };
    const content = doc(block, paragraph(text('{{phone}}')));
    expect(warnings(content)).toEqual([
      ['FALLBACK_MISSING', ['content', 0]],
      ['FALLBACK_MISSING', ['content', 1]],
    ]);
    expect(compile(content).warnings.map(({ message }) => message.split(' ')[0])).toEqual(['{{name}}', '{{phone}}']);
  });

  it('leaves out a snippet within a snippet', () => {
    const inner = { name: 'inner', content: doc(paragraph(text('never'))) };
    const outer = { name: 'outer', content: doc({ type: 'snippet', attrs: { snippetId: 'inner' } }) };
    const { template, warnings: told } = compile('{{snippet:outer}}', { snippets: { inner, outer } });
    expect(JSON.stringify(template)).not.toContain('never');
    expect(told.map(({ code }) => code)).toEqual(['SNIPPET_NESTED']);
  });

  it('stops inlining snippets before they swell', () => {
    const big = { name: 'big', content: doc(...Array.from({ length: 4_000 }, () => paragraph())) };
    const content = doc(...Array.from({ length: 4_000 }, () => ({ type: 'snippet', attrs: { snippetId: 'big' } })));
    const { template, warnings: told } = compile(content, { snippets: { big } });
    expect(JSON.stringify(template).length).toBeLessThan(3_000_000);
    expect(told.some(({ code }) => code === 'SNIPPET_MISSING')).toBe(true);
  });

  it('compiles 5,000 nodes in less than two seconds of a busy processor', () => {
    const content = doc(
      ...Array.from({ length: 2_400 }, (_, index) =>
        paragraph(text(`{{name}} ${index}`, `https://x.example/${index}`)),
      ),
    );
    expect(parseContent('MAILY', content).ok).toBe(true);
    const before = process.cpuUsage();
    compile(content);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});

describe('a mail of hostile size', () => {
  const gap = ' '.repeat(200_000);
  const inHtml = (html: string) => doc({ type: 'html', attrs: { content: html } });

  it.each<[string, string, Content]>([
    ['a gap in code', 'text', doc({ type: 'codeBlock', content: [text(`x${gap}y`)] })],
    ['a gap in preformatted text', 'text', inHtml(`<pre>x${gap}y</pre>`)],
    ['encoded braces in a link', 'html', doc(paragraph(text('x', `https://x.example/${'%7B%7B'.repeat(33_000)}`)))],
    ['words that look like what stands for a variable', 'html', `x qv${'x'.repeat(200_000)} qv0w0z {{name}}`],
  ])('takes %s in time that grows with its length', (_case, part, content) => {
    const startedAt = performance.now();
    const parsed = parseContent(typeof content === 'string' ? 'MARKDOWN' : 'MAILY', content);
    expect(parsed.ok).toBe(true);
    expect(JSON.stringify(compile(content).template[part as 'html' | 'text'])).toContain('x');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('keeps words that look like the placeholder of a variable', () => {
    const { template } = compile('qv0w0z QV1W0Z {{name}}');
    const links = { unsubscribeUrl: '', preferencesUrl: '', onlineUrl: '' };
    const { text: plain } = renderMail(template, { values: { name: 'Ada' }, links, currentYear: 2026 });
    expect(plain.split('\n')[0]).toBe('qv0w0z QV1W0Z Ada');
  });
});
