import { describe, expect, it } from '@jest/globals';
import { parseContent } from './parse-content.js';
import { plateToDocument } from './plate.js';

const leaf = (text: string, marks: Record<string, unknown> = {}) => ({ text, ...marks });
const text = (value: string, ...marks: string[]) => ({
  type: 'text',
  text: value,
  ...(marks.length > 0 && { marks: marks.map((type) => ({ type })) }),
});
const blocks = (...nodes: unknown[]) => plateToDocument(nodes).document.content;
const dropped = (...nodes: unknown[]) => plateToDocument(nodes).warnings.map(({ message, path }) => [message, path]);

describe('plateToDocument', () => {
  it('reads paragraphs, headings and marks', () => {
    expect(
      blocks(
        { type: 'p', children: [leaf('a'), leaf('b', { bold: true, italic: true, strikethrough: true })] },
        { type: 'h2', align: 'center', children: [leaf('c')] },
      ),
    ).toEqual([
      { type: 'paragraph', content: [text('a'), text('b', 'bold', 'italic', 'strike')] },
      { type: 'heading', attrs: { level: 2, textAlign: 'center' }, content: [text('c')] },
    ]);
  });

  it('reads links and line ends', () => {
    expect(
      blocks({ type: 'p', children: [{ type: 'a', url: 'https://x.example', children: [leaf('a\nb')] }] }),
    ).toEqual([
      {
        type: 'paragraph',
        content: [
          { type: 'text', text: 'a', marks: [{ type: 'link', attrs: { href: 'https://x.example' } }] },
          { type: 'hardBreak' },
          { type: 'text', text: 'b', marks: [{ type: 'link', attrs: { href: 'https://x.example' } }] },
        ],
      },
    ]);
  });

  it('reads lists of both kinds', () => {
    const item = (...content: unknown[]) => ({ type: 'listItem', content });
    const p = (value: string) => ({ type: 'paragraph', content: [text(value)] });
    expect(
      blocks({
        type: 'ul',
        children: [
          {
            type: 'li',
            children: [
              { type: 'lic', children: [leaf('a')] },
              { type: 'ol', children: [{ type: 'li', children: [{ type: 'lic', children: [leaf('b')] }] }] },
            ],
          },
        ],
      }),
    ).toEqual([{ type: 'bulletList', content: [item(p('a'), { type: 'orderedList', content: [item(p('b'))] })] }]);
    const listed = (value: string, indent: number, listStyleType: string) => ({
      type: 'p',
      indent,
      listStyleType,
      children: [leaf(value)],
    });
    expect(
      blocks(listed('a', 1, 'disc'), listed('b', 2, 'decimal'), listed('c', 1, 'disc'), listed('d', 1, 'decimal')),
    ).toEqual([
      { type: 'bulletList', content: [item(p('a'), { type: 'orderedList', content: [item(p('b'))] }), item(p('c'))] },
      { type: 'orderedList', content: [item(p('d'))] },
    ]);
  });

  it('reads images, tables, columns, code and rules', () => {
    expect(
      blocks(
        { type: 'img', url: 'https://x.example/a.png', width: '300', caption: [leaf('cap')], children: [leaf('')] },
        {
          type: 'table',
          children: [
            {
              type: 'tr',
              children: [
                { type: 'th', children: [{ type: 'p', children: [leaf('h')] }] },
                { type: 'td', children: [leaf('c')] },
              ],
            },
          ],
        },
        { type: 'column_group', children: [{ type: 'column', width: '40%', children: [] }] },
        {
          type: 'code_block',
          children: [
            { type: 'code_line', children: [leaf('a')] },
            { type: 'code_line', children: [leaf('b')] },
          ],
        },
        { type: 'hr', children: [leaf('')] },
      ),
    ).toMatchObject([
      { type: 'image', attrs: { src: 'https://x.example/a.png', alt: 'cap', width: 300 } },
      { type: 'table', content: [{ type: 'tableRow', content: [{ type: 'tableHeader' }, { type: 'tableCell' }] }] },
      { type: 'columns', content: [{ type: 'column', attrs: { width: 40 } }] },
      { type: 'codeBlock', content: [text('a\nb')] },
      { type: 'horizontalRule' },
    ]);
  });

  it('takes the caption of an image for the alt text that is missing, and says so where it is left out', () => {
    const image = { type: 'img', url: 'https://x.example/a.png', children: [leaf('')] };
    const caption = [{ type: 'p', children: [leaf('The '), leaf('garden', { bold: true })] }];
    expect(blocks({ ...image, alt: '', caption })).toMatchObject([{ attrs: { alt: 'The garden' } }]);
    expect(dropped({ ...image, alt: 'The garden', caption })).toEqual([]);
    expect(dropped({ ...image, alt: 'Peas', caption })).toEqual([
      ['Left out: the caption of an image with alt text.', [0, 'caption']],
    ]);
  });

  it('leaves out what mail cannot show, and says where', () => {
    expect(
      dropped(
        { type: 'callout', children: [leaf('kept')] },
        { type: 'media_embed', children: [leaf('')] },
        { type: 'p', children: [leaf('a', { kbd: true }), { type: 'a', url: 'javascript:x', children: [leaf('b')] }] },
        { type: 'img', children: [] },
        'x',
      ),
    ).toEqual([
      ['Left out: the node "callout" (its content is kept).', [0]],
      ['Left out: the node "media_embed".', [1]],
      ['Left out: the mark "kbd".', [2, 'children', 0, 'kbd']],
      [
        'Left out: a link ("javascript:" is not allowed in a link; use http, https, mailto, tel, sms).',
        [2, 'children', 1],
      ],
      ['Left out: an image (it has no address).', [3]],
      ['Left out: something that is no node.', [4]],
    ]);
  });

  it('reads variables and breaks within text, as Plate editors and our own documents write them', () => {
    const variable = { type: 'variable', attrs: { id: 'firstName', fallback: 'there' } };
    const children = [
      leaf('Hi '),
      { type: 'variable', id: 'firstName', fallback: 'there', children: [leaf('')] },
      { type: 'variable', value: 'firstName', fallback: 'there', children: [leaf('')] },
      variable,
      { type: 'variable', value: '{{City}}', children: [leaf('')] },
      { type: 'hardBreak' },
      { type: 'mention', value: 'Bob', children: [leaf('')] },
    ];
    expect(blocks({ type: 'p', children })).toMatchObject([
      {
        type: 'paragraph',
        content: [
          text('Hi '),
          variable,
          variable,
          variable,
          { type: 'text', text: '{{City}}' },
          { type: 'hardBreak' },
          { type: 'text', text: 'Bob' },
        ],
      },
    ]);
    expect(parseContent('PLATE', [{ type: 'p', children }])).toMatchObject({ ok: true, warnings: [] });
    const required = { type: 'variable', id: 'firstName', required: true, children: [leaf('')] };
    expect(parseContent('PLATE', [{ type: 'p', children: [required] }]).ok).toBe(false);
  });

  it('says what it leaves out within text', () => {
    const children = [
      { type: 'date', date: '2037-05-01', children: [leaf('')] },
      { type: 'mention', children: [] },
    ];
    expect(dropped({ type: 'p', children: [leaf('a'), ...children] })).toEqual([
      ['Left out: the node "date".', [0, 'children', 1]],
      ['Left out: a mention without a name.', [0, 'children', 2]],
    ]);
  });

  it('keeps cells over several columns and rows', () => {
    const cell = (more: object) => ({ type: 'td', ...more, children: [leaf('x')] });
    const cells = [cell({ colSpan: 2 }), cell({ attributes: { rowspan: '3' } }), cell({ colSpan: 1 })];
    expect(blocks({ type: 'table', children: [{ type: 'tr', children: cells }] })).toMatchObject([
      {
        content: [
          {
            content: [
              { type: 'tableCell', attrs: { colspan: 2 } },
              { type: 'tableCell', attrs: { rowspan: 3 } },
              { type: 'tableCell', content: [{}] },
            ],
          },
        ],
      },
    ]);
  });

  it('answers a document that is accepted again', () => {
    const once = parseContent('PLATE', [
      { type: 'table', children: [{ type: 'tr', children: [{ type: 'td', children: [leaf('x')] }] }] },
    ]);
    if (!once.ok) throw new Error('refused');
    expect(parseContent('PLATE', once.content)).toEqual({ ...once, warnings: [] });
  });
});
