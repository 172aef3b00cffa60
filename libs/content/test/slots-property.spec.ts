import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileMail, parseContent, renderMail } from '../src/index.js';
import type { Content } from '../src/index.js';
import { dangersOf, elementsOf } from './inspect-html.js';

const links = {
  unsubscribeUrl: 'https://u.example/',
  preferencesUrl: 'https://p.example/',
  onlineUrl: 'https://o.example/',
};

const content: Content = {
  type: 'doc',
  content: [
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'A {{v}} B ' },
        { type: 'text', text: '{{v}}', marks: [{ type: 'link', attrs: { href: '{{v}}' } }] },
        {
          type: 'text',
          text: 'path',
          marks: [{ type: 'link', attrs: { href: 'https://h.example/p/{{v}}?q={{v}}#end' } }],
        },
        { type: 'text', text: 'mail', marks: [{ type: 'link', attrs: { href: 'mailto:x@h.example?subject={{v}}' } }] },
      ],
    },
    { type: 'button', attrs: { text: '{{v}}', url: 'https://{{v}}' } },
    { type: 'image', attrs: { src: '{{v}}', alt: '{{v}}' } },
    { type: 'html', attrs: { content: '<p title="{{v}}">{{v}}</p>' } },
  ],
};
const { template } = compileMail({
  subject: 'S {{v}} E',
  preview: '{{v}}',
  type: 'MAILY',
  content,
  snippets: {},
  organization: { name: 'Org', address: null },
  footer: true,
});
const render = (v: string) => renderMail(template, { values: { v }, links, currentYear: 2026 });
const shape = (html: string): string[] =>
  elementsOf(html).map(({ tag, attributes }) => `${tag} ${Object.keys(attributes).join(' ')}`);
const plain = shape(render('plain').html);

/** Any text, with what ends a slot somewhere over-represented. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '"',
          "'",
          '<',
          '>',
          '&',
          '</',
          '-->',
          '{{',
          '}}',
          '|',
          '\r',
          '\n',
          '\0',
          ':',
          '//',
          '\\',
          '?',
          '#',
          '=?',
          '%',
          '`',
          ' ',
        ),
        fc.constantFrom(
          'script',
          'javascript',
          'data',
          'http',
          'https://',
          'mailto:',
          'onload=',
          'v',
          '&quot;',
          '&#x22;',
          '\ud800',
          '\u202e',
        ),
        fc.string({ unit: 'grapheme', maxLength: 3 }),
      ),
      { maxLength: 14 },
    )
    .map((pieces) => pieces.join('')),
);

const hrefs = (html: string): string[] =>
  elementsOf(html).flatMap(({ tag, attributes }) => (tag === 'a' ? [attributes.href ?? ''] : []));

describe('any value', () => {
  it('changes no element, no attribute name and brings no address but a safe one', () => {
    fc.assert(
      fc.property(value, (v) => {
        const { html } = render(v);
        expect(shape(html)).toEqual(plain);
        expect(dangersOf(html)).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  it('stays within its part of an address', () => {
    fc.assert(
      fc.property(value, (v) => {
        const [, path, mail] = hrefs(render(v).html);
        const address = new URL(path!);
        expect(address.host).toBe('h.example');
        expect([...address.searchParams.keys()].filter((key) => key !== 'q')).toEqual([]);
        expect(address.hash).toBe('#end');
        expect(mail).toMatch(/^mailto:x@h\.example\?subject=[^&#?]*$/u);
      }),
      { numRuns: 200 },
    );
  });

  it('is one line of a subject and nothing more', () => {
    fc.assert(
      fc.property(value, (v) => {
        const { subject, preview } = render(v);
        expect(subject.startsWith('S ') && subject.endsWith(' E')).toBe(true);
        expect(`${subject}${preview}`).not.toMatch(/[\p{Cc}\u2028\u2029]|=\?/u);
      }),
      { numRuns: 400 },
    );
  });

  it('appears unchanged in the HTML, except for invisible characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (v) => {
        const image = elementsOf(render(v).html).find(({ tag }) => tag === 'img');
        expect(image?.attributes.alt).toBe(v.trim().replace(/[\u202a-\u202e\u2066-\u2069]/gu, ''));
      }),
    );
  });
});

const NODES =
  'paragraph heading text bulletList listItem section columns column button image html p h1 ul li lic a img x'.split(
    ' ',
  );
const ATTRIBUTES = 'url src href content level showIf backgroundColor width padding text alt'.split(' ');

describe('any input of a caller', () => {
  it('is accepted or refused with issues, never thrown at', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('MAILY' as const, 'PLATE' as const, 'MARKDOWN' as const),
        fc.anything(),
        (type, input) => {
          const parsed = parseContent(type, input);
          if (!parsed.ok) expect(parsed.issues.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 500 },
    );
  });

  const nodes: fc.Memo<unknown> = fc.memo((depth) => {
    const children = depth <= 1 ? fc.constant([]) : fc.array(nodes(depth - 1), { maxLength: 3 });
    return fc.record(
      {
        type: fc.constantFrom(...NODES),
        text: value,
        attrs: fc.dictionary(fc.constantFrom(...ATTRIBUTES), fc.oneof(value, fc.anything())),
        content: children,
        children,
      },
      { requiredKeys: ['type'] },
    );
  });

  it('renders without danger once it is accepted', () => {
    fc.assert(
      fc.property(fc.array(nodes(4), { maxLength: 4 }), (list) => {
        const parsed = parseContent('PLATE', list);
        fc.pre(parsed.ok);
        if (!parsed.ok) return;
        const compiled = compileMail({
          subject: 's',
          preview: null,
          type: 'MAILY',
          content: parsed.content,
          snippets: {},
          organization: { name: 'O', address: null },
          footer: true,
        });
        expect(dangersOf(renderMail(compiled.template, { values: {}, links, currentYear: 2026 }).html)).toEqual([]);
      }),
      { numRuns: 120 },
    );
  });
});
