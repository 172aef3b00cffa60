import { describe, expect, it } from '@jest/globals';
import { withPreview } from './preview.js';

describe('withPreview', () => {
  it.each([
    ['<!doctype html><html><head><title>T</title></head><body class="a"><p>Hi</p></body></html>', '<body class="a">'],
    ['<html><head></head><p>Hi</p></html>', '</head>'],
    ['<!DOCTYPE html><p>Hi</p>', '<!DOCTYPE html>'],
    ['<p>Hi</p>', ''],
  ])('comes first in the visible text of %s', (html, before) => {
    const [head, shown] = withPreview(html, 'Soon <here> & "there"').split('<div style="display:none');
    expect(head!.endsWith(before)).toBe(true);
    expect(shown).toContain('>Soon &lt;here&gt; &amp; "there"&#8199;');
    expect(head! + shown!.slice(shown!.indexOf('</div>') + 6)).toBe(html);
  });

  it.each(['<body ', '<html ', '<!doctype ', '</head '])('reads 500,000 characters of %s that never ends', (tag) => {
    const html = tag.repeat(500_000 / tag.length);
    // Read once for each tag it would outlast the test's time many times over.
    expect(withPreview(html, 'Soon').endsWith(html)).toBe(true);
  });
});
