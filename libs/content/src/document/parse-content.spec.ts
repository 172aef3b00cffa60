import { describe, expect, it } from '@jest/globals';
import type { Issue } from './document.js';
import { parseContent, parseSnippet } from './parse-content.js';

const doc = (...content: unknown[]) => ({ type: 'doc', content });
const text = (value: string, ...marks: unknown[]) => ({
  type: 'text',
  text: value,
  ...(marks.length > 0 && { marks }),
});
const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content });

const issuesOf = (input: unknown, type: 'MAILY' | 'PLATE' | 'MARKDOWN' = 'MAILY'): Issue[] => {
  const parsed = parseContent(type, input);
  return parsed.ok ? [] : parsed.issues;
};

describe('parseContent', () => {
  it('answers an equal document for an object and for its JSON text', () => {
    const document = doc(paragraph(text('a', { type: 'bold' })), { type: 'spacer', attrs: { height: 8 } });
    expect(parseContent('MAILY', document)).toEqual({ ok: true, content: document, warnings: [] });
    expect(parseContent('MAILY', JSON.stringify(document))).toEqual({ ok: true, content: document, warnings: [] });
  });

  it('accepts what Maily writes, null attributes left out', () => {
    const maily = doc(
      {
        type: 'logo',
        attrs: {
          'maily-component': 'logo',
          src: 'https://x.example/l.png',
          alt: null,
          title: null,
          size: 'md',
          alignment: 'left',
          showIfKey: null,
          isSrcVariable: false,
        },
      },
      {
        type: 'button',
        attrs: {
          text: 'Go',
          isTextVariable: false,
          url: 'cta',
          isUrlVariable: true,
          alignment: 'left',
          variant: 'filled',
          borderRadius: 'smooth',
          buttonColor: '#000000',
          textColor: '#ffffff',
          showIfKey: null,
          paddingTop: 10,
          paddingRight: 32,
          paddingBottom: 10,
          paddingLeft: 32,
        },
      },
      {
        type: 'section',
        attrs: {
          borderRadius: 0,
          backgroundColor: '#f7f7f7',
          align: 'left',
          borderWidth: 1,
          borderColor: '#e2e2e2',
          paddingTop: 5,
          paddingRight: 5,
          paddingBottom: 5,
          paddingLeft: 5,
          marginTop: 0,
          marginRight: 0,
          marginBottom: 0,
          marginLeft: 0,
          showIfKey: null,
        },
        content: [paragraph()],
      },
      {
        type: 'columns',
        attrs: { showIfKey: null, gap: 8 },
        content: [
          { type: 'column', attrs: { columnId: 'a', width: 'auto', verticalAlign: 'top' }, content: [paragraph()] },
        ],
      },
      {
        type: 'image',
        attrs: {
          src: 'https://x.example/i.png',
          alt: 'x',
          title: null,
          width: 'auto',
          height: 'auto',
          alignment: 'center',
          externalLink: null,
          isExternalLinkVariable: false,
          borderRadius: 0,
          isSrcVariable: false,
          aspectRatio: 1.5,
          lockAspectRatio: true,
          showIfKey: null,
        },
      },
      { type: 'htmlCodeBlock', attrs: { language: 'html', showIfKey: null }, content: [text('<b>x</b>')] },
      {
        type: 'repeat',
        attrs: { each: 'items', isUpdatingKey: false, showIfKey: null },
        content: [
          paragraph({
            type: 'variable',
            attrs: { id: 'name', label: null, fallback: null, required: false, hideDefaultValue: false },
          }),
        ],
      },
      {
        type: 'footer',
        attrs: { textDirection: 'ltr', 'maily-component': 'footer' },
        content: [
          text('x', {
            type: 'link',
            attrs: { href: 'u', target: '_blank', rel: 'noopener', class: null, isUrlVariable: true },
          }),
        ],
      },
    );
    expect(issuesOf(maily)).toEqual([]);
    expect(JSON.stringify(parseContent('MAILY', maily))).not.toContain('null');
  });

  it.each<[string, unknown, Issue]>([
    ['no document', 'Hello', { path: [], message: 'must be a document object or its JSON text' }],
    ['a list', [], { path: [], message: 'must be a document: {"type":"doc","content":[…]}' }],
    [
      'an unknown node',
      doc({ type: 'paragrap' }),
      { path: ['content', 0], message: '"paragrap" is no node; did you mean "paragraph"?' },
    ],
    [
      'a node of another language',
      doc({ type: 'ul' }),
      {
        path: ['content', 0],
        message: expect.stringMatching(/^"ul" is no node; there are .*bulletList/) as unknown as string,
      },
    ],
    [
      'an unknown attribute',
      doc({ type: 'button', attrs: { label: 'x' } }),
      {
        path: ['content', 0, 'attrs', 'label'],
        message: expect.stringMatching(/^"button" has no attribute "label"; it has .*text, .*url/) as unknown as string,
      },
    ],
    [
      'an unknown mark',
      doc(paragraph(text('x', { type: 'strong' }))),
      {
        path: ['content', 0, 'content', 0, 'marks', 0],
        message: expect.stringMatching(/^"strong" is no mark; there are .*bold, italic/) as unknown as string,
      },
    ],
    [
      'an unknown key',
      doc({ type: 'paragraph', children: [] }),
      { path: ['content', 0, 'children'], message: 'is not known on a node; attributes go into "attrs"' },
    ],
    [
      'words on a paragraph',
      doc({ type: 'paragraph', text: 'Hello' }),
      { path: ['content', 0, 'text'], message: 'goes into a node of "content": {"type":"text","text":"…"}' },
    ],
    [
      'words on a button',
      doc({ type: 'button', text: 'Go', attrs: { url: 'https://example.com/' } }),
      { path: ['content', 0, 'text'], message: 'goes into "attrs"' },
    ],
    [
      'words on an image',
      doc({ type: 'image', attrs: { src: 'https://example.com/a.png' }, text: 'A' }),
      { path: ['content', 0, 'text'], message: '"image" has no text' },
    ],
    [
      'words as the content of a button',
      doc({ type: 'button', content: 'Go' }),
      { path: ['content', 0, 'content'], message: '"button" has no content' },
    ],
    [
      'nodes within a text',
      doc(paragraph({ type: 'text', text: 'x', content: [text('y')] })),
      { path: ['content', 0, 'content', 0, 'content'], message: '"text" has no content' },
    ],
    [
      'marks on a paragraph',
      doc({ type: 'paragraph', marks: [{ type: 'bold' }], content: [text('x')] }),
      { path: ['content', 0, 'marks'], message: 'stand on the text nodes within' },
    ],
    [
      'text outside a paragraph',
      doc(text('x')),
      { path: ['content', 0], message: '"text" cannot stand here, only blocks (put text into a paragraph)' },
    ],
    [
      'a block in a paragraph',
      doc(paragraph(paragraph())),
      {
        path: ['content', 0, 'content', 0],
        message: '"paragraph" cannot stand here, only text, variable and hardBreak nodes',
      },
    ],
    [
      'a paragraph in a list',
      doc({ type: 'bulletList', content: [paragraph()] }),
      { path: ['content', 0, 'content', 0], message: '"paragraph" cannot stand here, only listItem nodes' },
    ],
    [
      'a fourth heading level',
      doc({ type: 'heading', attrs: { level: 4 } }),
      { path: ['content', 0, 'attrs', 'level'], message: 'must be 1, 2 or 3' },
    ],
    [
      'a colour that is none',
      doc({ type: 'section', attrs: { backgroundColor: 'red;x:y' } }),
      {
        path: ['content', 0, 'attrs', 'backgroundColor'],
        message: 'must be a CSS colour (#rrggbb, rgb(…) or a colour name)',
      },
    ],
    [
      'an image without src',
      doc({ type: 'image', attrs: { alt: 'x' } }),
      { path: ['content', 0, 'attrs', 'src'], message: 'is required' },
    ],
    [
      'an image that is data',
      doc({ type: 'image', attrs: { src: 'data:image/png;base64,AAAA' } }),
      { path: ['content', 0, 'attrs', 'src'], message: '"data:" is not allowed in an image; use http, https' },
    ],
    [
      'a required variable without fallback',
      doc(paragraph({ type: 'variable', attrs: { id: 'name', required: true } })),
      { path: ['content', 0, 'content', 0, 'attrs', 'fallback'], message: 'a required variable needs a fallback' },
    ],
    [
      'filters that are none',
      doc({ type: 'paragraph', attrs: { showIf: ['x'] } }),
      {
        path: ['content', 0, 'attrs', 'showIf'],
        message: 'must be a list of at most 100 filters ({type, field, operator, …})',
      },
    ],
    [
      'a link to a script',
      doc(paragraph(text('x', { type: 'link', attrs: { href: 'javascript:x' } }))),
      {
        path: ['content', 0, 'content', 0, 'marks', 0, 'attrs', 'href'],
        message: '"javascript:" is not allowed in a link; use http, https, mailto, tel, sms',
      },
    ],
    [
      'a script link in HTML',
      doc({ type: 'html', attrs: { content: '<a href="java&#10;script:x">x</a>' } }),
      {
        path: ['content', 0],
        message: 'href of <a>: "javascript:" is not allowed in a link; use http, https, mailto, tel, sms',
      },
    ],
  ])('refuses %s', (_case, input, issue) => {
    expect(issuesOf(input)).toEqual([issue]);
  });

  it('takes what editors write where nothing is', () => {
    const nothing = { marks: [], text: '', content: [] };
    expect(issuesOf(doc({ type: 'paragraph', ...nothing }, { type: 'button', ...nothing }))).toEqual([]);
  });

  it('lists all issues, not the first', () => {
    expect(issuesOf(doc({ type: 'x' }, { type: 'button', attrs: { a: 1, b: 2 } }))).toHaveLength(3);
  });

  it('takes names of the prototype chain for what they are: unknown', () => {
    const hostile = JSON.parse(
      '{"type":"doc","content":[{"type":"paragraph","attrs":{"__proto__":{"x":1},"constructor":1},"content":[]}]}',
    ) as unknown;
    expect(issuesOf(hostile).map(({ path }) => path.at(-1))).toEqual(['__proto__', 'constructor']);
    expect(issuesOf(doc({ type: '__proto__' }, { type: 'toString' }))).toHaveLength(2);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  const nested = (levels: number): unknown => {
    let node: unknown = paragraph();
    for (let level = 1; level < levels; level += 1) node = { type: 'blockquote', content: [node] };
    return doc(node);
  };

  it('takes 32 levels and refuses 33', () => {
    expect(issuesOf(nested(32))).toEqual([]);
    expect(issuesOf(nested(33)).map(({ message }) => message)).toEqual(['is nested deeper than 32 levels']);
  });

  const cells = '<tr><td>a</td></tr>'.repeat(2_500);
  const html500 = { type: 'html', attrs: { content: `<table>${'<tr><td>a</td></tr>'.repeat(260)}</table>` } };
  it.each<[string, 'MAILY' | 'PLATE' | 'MARKDOWN', unknown]>([
    ['1,000 levels', 'MAILY', nested(1_000)],
    [
      '1,000 levels of Plate',
      'PLATE',
      Array.from({ length: 1_000 }).reduce<unknown>((inner) => [{ type: 'blockquote', children: inner }], []),
    ],
    [
      '1,000 unknown levels of Plate',
      'PLATE',
      Array.from({ length: 1_000 }).reduce<unknown>((inner) => [{ type: 'x', children: inner }], []),
    ],
    ['5,001 nodes', 'MAILY', doc(...Array.from({ length: 5_001 }, () => paragraph()))],
    ['too much text', 'MAILY', doc(paragraph(text('x'.repeat(300_001))))],
    ['too much Markdown', 'MARKDOWN', 'x'.repeat(300_001)],
    ['1,000 quotes in Markdown', 'MARKDOWN', `${'>'.repeat(1_000)} x`],
    ['1,000 elements in HTML', 'MAILY', doc({ type: 'html', attrs: { content: '<div>'.repeat(1_000) } })],
    ['1,000 elements in Markdown', 'MARKDOWN', '<div>'.repeat(1_000)],
    ['a table of 5,000 cells in HTML', 'MAILY', doc({ type: 'html', attrs: { content: `<table>${cells}</table>` } })],
    ['many tables of HTML that have 5,000 cells together', 'MAILY', doc(...Array.from({ length: 10 }, () => html500))],
    [
      'filters 1,000 deep',
      'MAILY',
      doc({
        type: 'paragraph',
        attrs: {
          showIf: [Array.from({ length: 1_000 }).reduce<unknown>((inner) => ({ type: 'GROUP', filters: [inner] }), {})],
        },
      }),
    ],
  ])('refuses %s within 100 ms', (_case, type, input) => {
    issuesOf(input, type);
    const before = process.cpuUsage();
    expect(issuesOf(input, type)).toHaveLength(1);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(100);
  });

  it.each([
    ['a table', `a|b|c|d\n-|-|-|-\n${'1|2|3|4\n'.repeat(37_000)}`],
    ['a table whose cells are empty', `${'a|'.repeat(600)}\n${'-|'.repeat(600)}\n${'x\n'.repeat(140_000)}`],
    ['hard line breaks', 'a  \n'.repeat(75_000)],
    ['line breaks by a backslash', '\\\n'.repeat(150_000)],
    ['headings', '# h\n'.repeat(75_000)],
    ['list items', '- a\n'.repeat(75_000)],
    ['emphasis', '*a* '.repeat(75_000)],
    ['tags of HTML', '<br>'.repeat(75_000)],
    ['links', '[a](b) '.repeat(42_000)],
  ])('refuses Markdown of 300,000 characters of %s in bounded processor time, and says why', (_case, markdown) => {
    const before = process.cpuUsage();
    expect(issuesOf(markdown.slice(0, 300_000), 'MARKDOWN')).toEqual([
      { path: [], message: expect.stringMatching(/^has more than 5000 elements/) },
    ]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });

  it('takes Markdown of 5,000 elements, and 300,000 characters of text in few', () => {
    expect(parseContent('MARKDOWN', `${'a  \n'.repeat(4_999)}b`)).toMatchObject({ ok: true });
    expect(parseContent('MARKDOWN', 'word '.repeat(60_000))).toMatchObject({ ok: true });
  });

  it.each<[string, 'MAILY' | 'PLATE', unknown]>([
    ['100,000 levels of JSON text', 'MAILY', '{"type":"doc","content":['.repeat(100_000) + ']}'.repeat(100_000)],
    ['100,000 levels of Plate’s JSON text', 'PLATE', `[${'{"type":['.repeat(100_000)}${']}'.repeat(100_000)}]`],
    [
      '20,000 lists in each other by indent',
      'PLATE',
      Array.from({ length: 20_000 }, (_, n) => ({ type: 'p', listStyleType: 'disc', indent: n + 1, children: [] })),
    ],
    [
      '100,000 list entries with something between',
      'PLATE',
      Array.from({ length: 100_000 }, (_, n) => ({ type: 'p', ...(n % 2 && { listStyleType: 'disc' }), children: [] })),
    ],
    ['5,001 lines of Plate', 'PLATE', [{ type: 'p', children: [{ text: '\n'.repeat(1_000_000) }] }]],
    ['5,001 nodes that are left out', 'PLATE', Array.from({ length: 5_001 }, () => ({ type: 'x', children: [] }))],
  ])('refuses %s without holding up others', (_case, type, input) => {
    const before = process.cpuUsage();
    expect(issuesOf(input, type)).toHaveLength(1);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });

  it('warns of what HTML loses', () => {
    expect(parseContent('MARKDOWN', '<form onsubmit="x"><p onclick="y">a</p></form>')).toMatchObject({
      ok: true,
      warnings: [{ code: 'CONTENT_DROPPED', message: 'Left out of the HTML: <form>, onclick.' }],
    });
  });

  it('names what it leaves out of Markdown as it was written', () => {
    expect(parseContent('MARKDOWN', 'x <{{city}}>')).toMatchObject({
      warnings: [{ code: 'CONTENT_DROPPED', message: 'Left out of the HTML: <{{city}}>.' }],
    });
    expect(parseContent('MARKDOWN', '<{{onlineUrl}}> or <{{email}}>')).toMatchObject({ warnings: [] });
  });

  it('takes Markdown as text only', () => {
    expect(issuesOf({ type: 'doc' }, 'MARKDOWN')).toEqual([{ path: [], message: 'must be Markdown text' }]);
    expect(parseContent('MARKDOWN', 'a\r\nb\0')).toEqual({ ok: true, content: 'a\nb', warnings: [] });
  });
});

describe('parseSnippet', () => {
  it('is empty when nothing is given', () => {
    expect(parseSnippet(undefined)).toEqual({ ok: true, content: doc(), warnings: [] });
  });

  it.each([
    ['a node', doc({ type: 'snippet', attrs: { snippetId: 'snp_1' } })],
    ['text', doc(paragraph(text('{{snippet:Other}}')))],
    ['an attribute', doc({ type: 'html', attrs: { content: '{{ snippet:Other }}' } })],
  ])('refuses a snippet within, as %s', (_case, input) => {
    const parsed = parseSnippet(input);
    expect(parsed.ok ? [] : parsed.issues.map(({ message }) => message)).toEqual([
      'a snippet cannot hold another snippet',
    ]);
  });
});
