import { describe, expect, it } from '@jest/globals';
import { compileMail, parseContent, renderMail } from '../src/index.js';
import type { Content, ContentType } from '../src/index.js';
import { dangersOf, elementsOf } from './inspect-html.js';
import { ADDRESS_PAYLOADS, HTML_PAYLOADS, VALUE_PAYLOADS } from './payloads.js';

const links = {
  unsubscribeUrl: 'https://u.example/',
  preferencesUrl: 'https://p.example/',
  onlineUrl: 'https://o.example/',
};

const render = (type: ContentType, content: Content, values: Record<string, string> = {}) =>
  renderMail(
    compileMail({
      subject: 'Hi {{name}}',
      preview: 'For {{name}}',
      type,
      content,
      snippets: {},
      organization: { name: 'Org', address: 'Street 1' },
      footer: true,
    }).template,
    { values, links, currentYear: 2026 },
  );

const htmlNode = (content: string): Content => ({ type: 'doc', content: [{ type: 'html', attrs: { content } }] });
const paragraph = (href: string): Content => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: 'x', marks: [{ type: 'link', attrs: { href } }] }] }],
});

/** The page around the content: the parts that must occur exactly once, for any content. */
const frame = (html: string): string[] =>
  elementsOf(html)
    .map(({ tag }) => tag)
    .filter((tag) => ['html', 'head', 'body', 'title', 'meta', 'style'].includes(tag));

const plainFrame = frame(render('MAILY', { type: 'doc', content: [] }).html);

describe('markup in an html node', () => {
  it.each(HTML_PAYLOADS)('%j is harmless', (payload) => {
    const { html } = render('MAILY', htmlNode(`<p>before</p>${payload}<p>after</p>`), { name: '" onload="x' });
    expect(dangersOf(html)).toEqual([]);
    expect(frame(html)).toEqual(plainFrame);
    expect(html.indexOf('Org')).toBeGreaterThan(html.indexOf('before'));
  });
});

describe('markup in Markdown', () => {
  it.each(HTML_PAYLOADS)('%j is harmless', (payload) => {
    const { html } = render('MARKDOWN', `before\n\n${payload}\n\nafter ${payload}`, { name: '" onload="x' });
    expect(dangersOf(html)).toEqual([]);
    expect(frame(html)).toEqual(plainFrame);
  });
});

describe('an address that runs something', () => {
  const documents = (address: string): [string, unknown][] => [
    ['a link', paragraph(address)],
    ['a button', { type: 'doc', content: [{ type: 'button', attrs: { text: 'x', url: address } }] }],
    ['an image', { type: 'doc', content: [{ type: 'image', attrs: { src: address, alt: 'x' } }] }],
    [
      'the link of an image',
      { type: 'doc', content: [{ type: 'image', attrs: { src: 'https://i.example/x', href: address } }] },
    ],
    ['an html node', htmlNode(`<a href="${address.replaceAll('"', '&quot;')}">x</a>`)],
  ];

  it.each(ADDRESS_PAYLOADS)('%j is refused on save, everywhere', (address) => {
    for (const [place, document] of documents(address)) {
      expect([place, parseContent('MAILY', document).ok]).toEqual([place, false]);
    }
  });

  it.each(ADDRESS_PAYLOADS)('%j leads nowhere if it was stored all the same', (address) => {
    for (const [, document] of documents(address)) {
      expect(dangersOf(render('MAILY', document as Content).html)).toEqual([]);
    }
    expect(dangersOf(render('MARKDOWN', `[x](<${address}>) ![y](<${address}>) <${address}>`).html)).toEqual([]);
  });

  it.each([
    '[x](javascript:alert(1))',
    '<a href="javascript:alert(1)">x</a>',
    '![x](data:image/png;base64,AA==)',
    '<javascript:alert(1)>',
  ])('%j is refused in Markdown', (markdown) => {
    expect(parseContent('MARKDOWN', markdown).ok).toBe(false);
  });
});

const EVERYWHERE: Content = {
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'A {{v}} B' }] },
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'whole', marks: [{ type: 'link', attrs: { href: '{{v}}' } }] },
        { type: 'text', text: 'scheme', marks: [{ type: 'link', attrs: { href: 'https://{{v}}' } }] },
        { type: 'text', text: 'host', marks: [{ type: 'link', attrs: { href: 'https://{{v}}.example/x' } }] },
        {
          type: 'text',
          text: 'path',
          marks: [{ type: 'link', attrs: { href: 'https://h.example/{{v}}/x?q={{v}}#{{v}}' } }],
        },
        { type: 'text', text: 'mail', marks: [{ type: 'link', attrs: { href: 'mailto:{{v}}?subject={{v}}' } }] },
        { type: 'text', text: 'half', marks: [{ type: 'link', attrs: { href: 'java{{v}}' } }] },
        { type: 'variable', attrs: { id: 'v' } },
      ],
    },
    { type: 'button', attrs: { text: '{{v}}', url: '{{v}}' } },
    { type: 'image', attrs: { src: '{{v}}', alt: '{{v}}', href: '{{v}}' } },
    {
      type: 'html',
      attrs: { content: '<p title="{{v}}">{{v}}</p><a href="{{v}}">x</a><img src="{{v}}" alt="{{v}}">' },
    },
    { type: 'codeBlock', content: [{ type: 'text', text: '{{v}}' }] },
    { type: 'footer', content: [{ type: 'text', text: '{{v}}' }] },
  ],
};

describe('a value of a recipient', () => {
  const shape = (html: string): string[] =>
    elementsOf(html).map(({ tag, attributes }) => `${tag} ${Object.keys(attributes).join(' ')}`);
  const plain = shape(render('MAILY', EVERYWHERE, { v: 'plain', name: 'plain' }).html);

  it.each(VALUE_PAYLOADS.map((value) => [value.slice(0, 60), value]))('%j stays in its place', (_label, value) => {
    const mail = render('MAILY', EVERYWHERE, { v: value, name: value });
    expect(dangersOf(mail.html)).toEqual([]);
    expect(shape(mail.html)).toEqual(plain);

    expect(mail.subject).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]|=\?/u);

    expect(mail.html + mail.text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u);
  });
});
