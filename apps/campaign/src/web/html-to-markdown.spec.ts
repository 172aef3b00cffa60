import { describe, expect, it } from '@jest/globals';
import { htmlToMarkdown } from './html-to-markdown.js';

describe('htmlToMarkdown', () => {
  it('takes the title of a page, whatever its tag says', () => {
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
});
