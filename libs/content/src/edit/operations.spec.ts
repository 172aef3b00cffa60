import { describe, expect, it } from '@jest/globals';
import type { DocumentNode } from '../document/document.js';
import { applyOperations } from './operations.js';

const text = (value: string, ...marks: string[]): DocumentNode => ({
  type: 'text',
  text: value,
  ...(marks.length > 0 && { marks: marks.map((type) => ({ type })) }),
});
const paragraph = (...content: DocumentNode[]): DocumentNode => ({ type: 'paragraph', content });
const doc = (...content: DocumentNode[]): DocumentNode => ({ type: 'doc', content });
const letter = (): DocumentNode =>
  doc(
    paragraph(text('Hello '), text('dear', 'bold'), text(' friend, hello')),
    { type: 'button', attrs: { text: 'Hello', url: 'https://x.example/hello' } },
    { type: 'section', content: [paragraph(text('inner hello'))] },
  );

const apply = (content: DocumentNode | string, ...operations: unknown[]) =>
  applyOperations(typeof content === 'string' ? 'MARKDOWN' : 'MAILY', content, operations);
const issues = (content: DocumentNode | string, ...operations: unknown[]) => {
  const applied = apply(content, ...operations);
  return applied.ok ? [] : applied.issues;
};

describe('replace_text', () => {
  it('replaces the first occurrence', () => {
    expect(apply(letter(), { op: 'replace_text', search: 'ello', replace: 'i' })).toMatchObject({
      ok: true,
      operations: [{ op: 'replace_text', matched: 1 }],
      content: { content: [{ content: [{ text: 'Hi ' }, { text: 'dear' }, { text: ' friend, hello' }] }, {}, {}] },
    });
  });

  it('replaces all occurrences, in attributes and nested blocks too', () => {
    const applied = apply(letter(), { op: 'replace_text', search: 'hello', replace: 'bye', all: true });
    expect(applied).toMatchObject({ ok: true, operations: [{ matched: 3 }] });
    expect(JSON.stringify(applied)).not.toContain('hello');
  });

  it('finds words of which only some are bold, and keeps the look of the first', () => {
    expect(apply(letter(), { op: 'replace_text', search: 'Hello dear friend', replace: 'Hi' })).toMatchObject({
      content: { content: [{ content: [{ text: 'Hi' }, { text: ', hello' }] }, {}, {}] },
    });
  });

  it('does not find again what it has just written', () => {
    expect(
      apply(doc(paragraph(text('aaa'))), { op: 'replace_text', search: 'a', replace: 'aa', all: true }),
    ).toMatchObject({
      operations: [{ matched: 3 }],
      content: doc(paragraph(text('aaaaaa'))),
    });
  });

  it('works on Markdown, with $ taken literally', () => {
    expect(apply('a b a', { op: 'replace_text', search: 'a', replace: '$&' })).toMatchObject({ content: '$& b a' });
    expect(apply('a b a', { op: 'replace_text', search: 'a', replace: 'c', all: true })).toMatchObject({
      content: 'c b c',
      operations: [{ matched: 2 }],
    });
  });

  it('names the nearest text when it finds nothing', () => {
    expect(issues(letter(), { op: 'replace_text', search: 'Hello deer friend', replace: 'x' })).toEqual([
      {
        path: ['operations', 0],
        message: '"Hello deer friend" is not in the content; the nearest text is "Hello dear friend, hello".',
      },
    ]);
  });
});

describe('replace_text within one node', () => {
  it('means words before addresses', () => {
    const image = { type: 'image', attrs: { src: 'https://x.example/cat.png', alt: 'A cat' } };
    const once = { op: 'replace_text', search: 'cat', replace: 'dog' };
    expect(apply(doc(image), once)).toMatchObject({
      content: { content: [{ attrs: { src: 'https://x.example/cat.png', alt: 'A dog' } }] },
    });
    expect(apply(doc(image), { ...once, all: true })).toMatchObject({
      content: { content: [{ attrs: { src: 'https://x.example/dog.png', alt: 'A dog' } }] },
    });
  });

  it('finds a no-break space by a space, and changes nothing around it', () => {
    const content = doc(paragraph(text('5\u00a0kg for 10\u00a0€')));
    expect(apply(content, { op: 'replace_text', search: '5 kg', replace: '6 kg' })).toMatchObject({
      content: doc(paragraph(text('6 kg for 10\u00a0€'))),
    });
  });
});

describe('replace_text of hostile size', () => {
  const words = 'Lorem ipsum dolor sit amet. '.repeat(10_000);

  it('looks for the nearest text without holding up others', () => {
    const search = 'x'.repeat(1_000_000);
    const startedAt = performance.now();
    expect(issues(words, { op: 'replace_text', search, replace: '' })[0]?.message).toMatch(/^"x{200}" is not in the/u);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('replaces a letter everywhere in one pass', () => {
    const document = doc(paragraph(text('a'.repeat(150_000)), text('a'.repeat(50_000), 'bold')));
    const startedAt = performance.now();
    const applied = apply(document, { op: 'replace_text', search: 'a', replace: 'b', all: true });
    expect(applied).toMatchObject({ ok: true, operations: [{ matched: 200_000 }] });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it.each<[string, DocumentNode | string]>([
    ['Markdown', words],
    ['a document', doc(paragraph(text(words)))],
  ])('refuses what would grow %s past its limit', (_kind, content) => {
    const replace = 'm'.repeat(100_000);
    expect(issues(content, { op: 'replace_text', search: 'm', replace, all: true })).toEqual([
      { path: ['operations', 0], message: 'the content would hold more than 300000 characters of text.' },
    ]);
  });
});

describe('node operations', () => {
  const spacer: DocumentNode = { type: 'spacer' };
  const types = (applied: ReturnType<typeof apply>): unknown =>
    applied.ok && typeof applied.content !== 'string' && applied.content.content?.map(({ type }) => type);

  it.each<[object, string[]]>([
    [{ op: 'append_node', node: spacer }, ['paragraph', 'button', 'section', 'spacer']],
    [{ op: 'prepend_node', node: spacer }, ['spacer', 'paragraph', 'button', 'section']],
    [{ op: 'insert_node', index: 1, node: spacer }, ['paragraph', 'spacer', 'button', 'section']],
    [{ op: 'insert_node', index: 3, node: spacer }, ['paragraph', 'button', 'section', 'spacer']],
    [{ op: 'insert_node', path: [0], node: JSON.stringify(spacer) }, ['spacer', 'paragraph', 'button', 'section']],
    [{ op: 'remove_node', index: 1 }, ['paragraph', 'section']],
    [{ op: 'replace_node', index: 2, node: spacer }, ['paragraph', 'button', 'spacer']],
  ])('%j', (operation, expected) => {
    const applied = apply(letter(), operation);
    expect(types(applied)).toEqual(expected);
    expect(applied).toMatchObject({ operations: [{ matched: 1 }] });
  });

  it.each<[object, string[]]>([
    [{ op: 'insert_node', path: [2, 1], node: spacer }, ['paragraph', 'spacer']],
    [{ op: 'insert_node', path: ['content', 2, 'content', 0], node: spacer }, ['spacer', 'paragraph']],
    [{ op: 'append_node', path: [2], node: spacer }, ['paragraph', 'spacer']],
    [{ op: 'remove_node', path: [2, 0] }, []],
    [{ op: 'replace_node', path: [2, 0], node: spacer }, ['spacer']],
  ])('%j reaches into a section', (operation, expected) => {
    const applied = apply(letter(), operation);
    const section = applied.ok && typeof applied.content !== 'string' ? applied.content.content?.[2] : undefined;
    expect(section?.content?.map(({ type }) => type)).toEqual(expected);
  });

  it('reads a node as Plate writes it', () => {
    const applied = applyOperations('PLATE', letter(), [
      { op: 'append_node', node: { type: 'p', children: [{ text: 'x' }] } },
    ]);
    expect(types(applied)).toEqual(['paragraph', 'button', 'section', 'paragraph']);
  });

  it.each<[string, unknown, string]>([
    [
      'an unknown operation',
      { op: 'move_node' },
      'op must be one of replace_text, insert_node, append_node, prepend_node, remove_node, replace_node.',
    ],
    ['an unknown parameter', { op: 'remove_node', at: 1 }, 'remove_node takes index, path, not "at".'],
    ['no place', { op: 'remove_node' }, 'index or path is missing.'],
    ['two places', { op: 'remove_node', index: 1, path: [1] }, 'give index or path, not both.'],
    [
      'an index past the end',
      { op: 'remove_node', index: 3 },
      'there is no node at [3]; "doc" has 3 nodes, counted from 0.',
    ],
    [
      'a path past the end',
      { op: 'remove_node', path: [2, 5] },
      'there is no node at [2, 5]; "section" has 1 nodes, counted from 0.',
    ],
    [
      'an insertion past the end',
      { op: 'insert_node', index: 4, node: spacer },
      'index 4 is past the end; "doc" has 3 nodes.',
    ],
    [
      'a negative index',
      { op: 'remove_node', index: -1 },
      'index must be a whole number from 0, path a list of them (the way to the node).',
    ],
    ['no node', { op: 'append_node' }, 'node must be a node object.'],
    ['an empty search', { op: 'replace_text', search: '', replace: '' }, 'search must be text to look for.'],
    ['no replacement', { op: 'replace_text', search: 'x' }, 'replace must be text (empty to delete).'],
    [
      'something that is no operation',
      'remove_node',
      'op must be one of replace_text, insert_node, append_node, prepend_node, remove_node, replace_node.',
    ],
  ])('refuses %s', (_case, operation, message) => {
    expect(issues(letter(), operation)).toEqual([{ path: ['operations', 0], message }]);
  });

  it.each([
    [
      'JSON text of 100,000 levels',
      `${'{"type":"doc","content":['.repeat(100_000)}${']}'.repeat(100_000)}`,
      'is nested',
    ],
    ['5,001 nodes of Plate', { type: 'x', children: Array.from({ length: 5_001 }, () => ({ text: '' })) }, 'has more'],
  ])('refuses %s as a node', (_case, node, message) => {
    const applied = applyOperations('PLATE', letter(), [{ op: 'append_node', node }]);
    expect(applied).toMatchObject({ ok: false, issues: [{ message: expect.stringMatching(`^node ${message}`) }] });
  });

  it('refuses node operations on Markdown', () => {
    expect(issues('x', { op: 'remove_node', index: 0 })).toEqual([
      { path: ['operations', 0], message: 'MARKDOWN content takes replace_text only.' },
    ]);
  });
});

describe('applyOperations', () => {
  it('applies all or none, and leaves the given content alone', () => {
    const before = letter();
    expect(
      issues(before, { op: 'remove_node', index: 0 }, { op: 'replace_text', search: 'nowhere at all', replace: '' }),
    ).toMatchObject([{ path: ['operations', 1] }]);
    apply(before, { op: 'remove_node', index: 0 });
    expect(before).toEqual(letter());
  });

  it('refuses what makes the content invalid', () => {
    expect(issues(letter(), { op: 'append_node', node: { type: 'nonsense' } })).toMatchObject([
      { path: ['content', 3] },
    ]);
    expect(
      issues(letter(), { op: 'replace_text', search: 'https://x.example/hello', replace: 'javascript:x' }),
    ).toMatchObject([{ path: ['content', 1, 'attrs', 'url'] }]);
  });
});
