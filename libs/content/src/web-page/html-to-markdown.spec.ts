import { describe, expect, it } from '@jest/globals';
import { htmlToMarkdown } from './html-to-markdown.js';

describe('htmlToMarkdown', () => {
  it('returns the title of a page, with any attributes of its tag', () => {
    const page = '<html><head><title lang="en">Spring &amp; summer</title></head><body><p>Hello</p></body></html>';
    expect(htmlToMarkdown(page, 'https://shop.internal/')).toMatchObject({
      title: 'Spring & summer',
      markdown: 'Hello',
    });
  });

  it('reads a page of tags that never end', () => {
    // Read once for each of them it would outlast the test's time many times over.
    expect(htmlToMarkdown('<title '.repeat(100_000), 'https://shop.internal/').title).toBeNull();
  });

  const million = (piece: string): string => piece.repeat(Math.ceil(1_000_000 / piece.length));
  const wideTable = `<table><tr>${'<td>x'.repeat(100_000)}${'<tr><td>x'.repeat(50_000)}</table>`;

  it.each([
    ['a closing tag for each open one, but of another name', million('<b></i>x')],
    ['list items that are never closed', million('<li><p>x')],
    ['links in one paragraph', million('<a href="/shop">x</a> ')],
    ['lines in one paragraph', million('x<br>')],
    ['bold words in one paragraph', million('x <b>y</b> ')],
    ['a gap in what is set as it is', `<pre>x${' '.repeat(300_000)}x</pre>`],
    ['a table of many rows', `<table>${million('<tr><td>x<td>y')}</table>`],
    ['a table as wide as it is long', wideTable],
  ])('reads a page of %s', (_case, page) => {
    const startedAt = performance.now();
    const { markdown, truncated } = htmlToMarkdown(page, 'https://shop.internal/');
    // What takes the square of a page's length takes a minute and more, or the memory.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect({ says: markdown.includes('x'), truncated }).toEqual({ says: true, truncated: true });
  });

  it('cuts a page where the answer is full, and not before', () => {
    const page = htmlToMarkdown('<p>word</p>'.repeat(20_000), 'https://shop.internal/');
    expect(page.truncated).toBe(true);
    expect(page.markdown).toHaveLength(50_000);
    expect(htmlToMarkdown('<p>word</p>'.repeat(8_000), 'https://shop.internal/').truncated).toBe(false);
  });
});
