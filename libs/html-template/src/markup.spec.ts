import { describe, expect, it } from '@jest/globals';
import { Markup, markup } from './markup.js';

describe('markup', () => {
  it('escapes text between tags and in attributes', () => {
    const text = `"><script>alert('1')</script>&`;
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';
    expect(markup`<p title="${text}">${text}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('keeps markup, joins lists, and writes null as nothing', () => {
    const rows = ['a', 'b<'].map((name) => markup`<li>${name}</li>`);
    const list = markup`<ul${new Markup(' class="wide"')}>${rows}${null}</ul>${2}`;
    expect(list.text).toBe('<ul class="wide"><li>a</li><li>b&lt;</li></ul>2');
  });
});
