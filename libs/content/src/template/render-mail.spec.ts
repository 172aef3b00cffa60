import { describe, expect, it } from '@jest/globals';
import { compileMail } from './compile-mail.js';
import type { Content, DocumentNode } from '../document/document.js';
import { renderMail } from './render-mail.js';
import type { RenderInput } from './render-mail.js';
import { textFromHtml } from '../text/text-from-html.js';

const links = {
  unsubscribeUrl: 'https://u.example/',
  preferencesUrl: 'https://p.example/',
  onlineUrl: 'https://o.example/',
};
const text = (value: string, href?: string): DocumentNode => ({
  type: 'text',
  text: value,
  ...(href !== undefined && { marks: [{ type: 'link', attrs: { href } }] }),
});
const paragraph = (...content: DocumentNode[]): DocumentNode => ({ type: 'paragraph', content });
const doc = (...content: DocumentNode[]): DocumentNode => ({ type: 'doc', content });

const render = (content: Content, given: Partial<RenderInput> = {}, subject = 'S') =>
  renderMail(
    compileMail({
      subject,
      preview: null,
      type: typeof content === 'string' ? 'MARKDOWN' : 'MAILY',
      content,
      snippets: {},
      organization: { name: 'Org & Co', address: 'Street 1\nTown' },
      footer: false,
    }).template,
    { values: {}, links, currentYear: 2026, ...given },
  );
const words = (written: string, given: Partial<RenderInput> = {}) =>
  render(doc(paragraph(text(written))), given).text.trim();

describe('variables', () => {
  const values = {
    email: 'ada@x.example',
    name: '  Ada  Lovelace ',
    phone: null,
    Company: 'A & B',
    'Prénom du client': 'Zoë',
  };

  it.each([
    ['{{email}}', 'ada@x.example'],
    ['{{name}}', 'Ada  Lovelace'],
    ['{{firstName}}', 'Ada'],
    ['{{phone}}', ''],
    ["{{phone | 'none'}}", 'none'],
    ["{{unknown || 'x'}}", 'x'],
    ['{{unknown}}', ''],
    ['{{company}}', 'A & B'],
    ['{{prénom DU client}}', 'Zoë'],
    ['{{unsubscribeUrl}}', 'https://u.example/'],
    ['{{preferencesUrl}} {{onlineUrl}}', 'https://p.example/ https://o.example/'],
    ['{{org-name}}', 'Org & Co'],
    ['{{org-adresse}}', 'Street 1, Town'],
    ['{{currentYear}}', '2026'],
    ['{{toString}}{{hasOwnProperty}}{{valueOf}}', ''],
    ['{{constructor}}{{__proto__}}', '{{constructor}}{{__proto__}}'],
  ])('%s shows %j', (written, shown) => {
    expect(words(written, { values })).toBe(shown);
  });

  it('takes firstName from the data if it is there, else the first word of the name', () => {
    expect(words('{{firstName}}', { values: { firstName: 'Gus', name: 'Ada L' } })).toBe('Gus');
    expect(words("{{firstName | 'x'}}", { values: { name: '  ' } })).toBe('x');
  });

  it('finds a field regardless of the message before', () => {
    const { template } = compileMail({
      subject: '{{a}}',
      preview: null,
      type: 'MARKDOWN',
      content: '',
      snippets: {},
      organization: { name: '', address: null },
      footer: false,
    });
    const subjects = [{ A: '1' }, {}, { a: '2' }, { ' A ': '3' }].map(
      (values) => renderMail(template, { values, links, currentYear: 2026 }).subject,
    );
    expect(subjects).toEqual(['1', '', '2', '3']);
  });

  it('shows names in brackets without a subscriber', () => {
    expect(words("{{firstName}} {{company}} {{name | 'you'}} {{currentYear}}", { placeholders: true })).toBe(
      '[firstName] [company] you 2026',
    );
  });

  it('never reads a value as an expression', () => {
    expect(words('{{name}}', { values: { name: '{{email}}', email: 'secret' } })).toBe('{{email}}');
  });
});

describe('subject', () => {
  it('stays one line', () => {
    expect(render('', { values: { name: 'a\r\nBcc: b\u2028c\0' } }, 'Hi {{name}} \n').subject).toBe('Hi a Bcc: b c');
  });
});

describe('Markdown addresses in angle brackets', () => {
  it('are links, also where they are variables, and what they were in code', () => {
    const { html, text: plain } = render('<{{onlineUrl}}>\n\nAsk <{{email}}>, `<{{email}}>`', {
      values: { email: 'ada@x.example' },
    });
    expect(plain).toMatch(/^https:\/\/o\.example\/.*\n\nAsk ada@x\.example .*, <ada@x\.example>\n$/);
    expect(html).toMatch(new RegExp(`<a [^>]*href="${links.onlineUrl}"[^>]*>${links.onlineUrl}</a>`));
    expect(html).toMatch(/Ask <a [^>]*href="mailto:ada@x\.example"[^>]*>ada@x\.example<\/a>/);
    expect(html).toMatch(/<code[^>]*>&lt;ada@x\.example&gt;<\/code>/);
  });
});

describe('blocks', () => {
  const filters = [{ type: 'TAG' }];
  const content = doc(
    { ...paragraph(text('filtered')), attrs: { showIf: filters } },
    { ...paragraph(text('keyed')), attrs: { showIfKey: 'phone' } },
    { ...paragraph(text('both')), attrs: { showIf: filters, showIfKey: 'phone' } },
    {
      type: 'section',
      attrs: { showIf: filters },
      content: [{ ...paragraph(text('inner')), attrs: { showIfKey: 'phone' } }, paragraph(text('rest'))],
    },
    paragraph(text('always')),
  );

  it.each<[Partial<RenderInput>, string]>([
    [{}, 'filtered rest always'],
    [{ shows: [false] }, 'always'],
    [{ shows: [true], values: { phone: '1' } }, 'filtered keyed both inner rest always'],
    [{ shows: [false], values: { phone: '1' } }, 'keyed always'],
    [{ placeholders: true, shows: [false] }, 'filtered keyed both inner rest always'],
  ])('%j shows %j', (given, shown) => {
    expect(render(content, given).text.split(/\s+/u).join(' ').trim()).toBe(shown);
    const { html } = render(content, given);
    for (const word of ['filtered', 'keyed', 'both', 'inner', 'rest'])
      expect(html.includes(`>${word}<`)).toBe(shown.includes(word));
  });
});

describe('links', () => {
  const calls: unknown[][] = [];
  const track: RenderInput['track'] = (...call) => {
    calls.push(call);
    return `https://t.example/${call[1]}?a=1&b=2`;
  };
  const hrefs = (content: Content, values: Record<string, string> = {}) => {
    calls.length = 0;
    return [...render(content, { values, track }).html.matchAll(/<a href="([^"]*)"/gu)].map(([, href]) => href);
  };
  const link = (href: string) => doc(paragraph(text('x', href)));

  it('goes through track, once each, with target and number', () => {
    expect(
      hrefs(
        doc(
          paragraph(
            text('a', 'https://x.example/1'),
            text(' '),
            text('b', 'https://x.example/2?e={{email}}'),
            text(' '),
            text('c', 'https://x.example/1'),
          ),
        ),
        { email: 'a&b@x.example' },
      ),
    ).toEqual([
      'https://t.example/0?a=1&amp;b=2',
      'https://t.example/1?a=1&amp;b=2',
      'https://t.example/0?a=1&amp;b=2',
    ]);
    expect(calls).toEqual([
      ['https://x.example/1', 0],
      ['https://x.example/2?e=a%26b%40x.example', 1],
    ]);
  });

  it('hands over tags, with or without an address', () => {
    hrefs(doc(paragraph(text('a', '{{addTag:x,y}}'), text('b', '{{removeTag:x}}https://x.example'))));
    expect(calls).toEqual([
      ['', 0, { add: ['x', 'y'] }],
      ['https://x.example', 1, { remove: ['x'] }],
    ]);
  });

  it.each([
    'mailto:a@x.example',
    'tel:+441',
    '#top',
    '{{unsubscribeUrl}}',
    'https://{{preferencesUrl}}',
    '{{onlineUrl}}',
  ])('leaves %j alone', (href) => {
    hrefs(link(href));
    expect(calls).toEqual([]);
  });

  it.each([
    ['{{website}}', 'https://x.example/a', ['https://x.example/a', 0]],
    ['{{website}}', 'x.example', ['https://x.example', 0]],
    ['https://{{website}}', 'https://x.example', ['https://x.example', 0]],
    ['http://{{website}}', 'x.example/a', ['http://x.example/a', 0]],
    ['{{website}}/path?q={{website}}', 'https://x.example', ['https://x.example/path?q=https%3A%2F%2Fx.example', 0]],
    ['https://{{website}}.example/', 'evil.com/', ['https://evil.com%2F.example/', 0]],
  ])('%j with %j leads to %j', (href, website, call) => {
    hrefs(link(href), { website });
    expect(calls).toEqual([call]);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', ' java\nscript:x', '', 'words'])(
    'a whole address of %j leads nowhere and is not counted',
    (website) => {
      expect(hrefs(link('{{website}}'), { website })).toEqual(['#']);
      expect(calls).toEqual([]);
    },
  );

  it('are real in the text part', () => {
    const content = doc(
      paragraph(
        text('Shop', 'https://x.example/{{email}}'),
        text(', '),
        text('x', '{{website}}'),
        text(', '),
        text('Yes', '{{addTag:a}}'),
      ),
    );
    expect(render(content, { values: { email: 'a@b' }, track }).text).toBe(
      'Shop (https://x.example/a%40b), x, Yes (https://t.example/2?a=1&b=2)\n',
    );
  });

  it('lead straight to their target without track', () => {
    expect(render(link('https://x.example/?a=1&b=2')).html).toContain('href="https://x.example/?a=1&amp;b=2"');
    expect(render(link('{{addTag:a}}')).html).toContain('href="#"');
  });
});

describe('a table', () => {
  it('keeps cells over several columns and rows', () => {
    const cell = (attrs: Record<string, unknown>): DocumentNode => ({
      type: 'tableCell',
      attrs,
      content: [paragraph(text('x'))],
    });
    const rows = [
      [cell({ rowspan: 2 }), cell({ colspan: '2', rowspan: 1 })],
      [cell({}), cell({})],
    ];
    const table = { type: 'table', content: rows.map((content) => ({ type: 'tableRow', content })) };
    const tags = [...render(doc(table)).html.matchAll(/<td((?: (?:col|row)span="\d+")*) class="ln"/gu)];
    expect(tags.map(([, spans]) => spans)).toEqual([' rowspan="2"', ' colspan="2"', '', '']);
  });
});

describe('the pixel', () => {
  it('is there when it is given, escaped', () => {
    expect(render('x', { pixelUrl: 'https://o.example/?a=1&b="' }).html).toContain(
      '<img src="https://o.example/?a=1&amp;b=&quot;" width="1"',
    );
    expect(render('x').html).not.toContain('width="1"');
  });
});

describe('textFromHtml', () => {
  it.each([
    ['<h1>Title</h1><p>One<br>two &amp; three</p>', 'Title\n=====\n\nOne\ntwo & three\n'],
    [
      '<p>See <a href="https://x.example">our shop</a> or <a href="mailto:a@x.example">write</a>.</p>',
      'See our shop (https://x.example) or write (a@x.example).\n',
    ],
    ['<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>', '- a\n- b\n  1. c\n'],
    ['<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>', `A | B\n${'-'.repeat(60)}\n1 | 2\n`],
    ['<table><tr><td><table><tr><td>deep</td></tr></table></td><td>side</td></tr></table>', 'deep\n\nside\n'],
    ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b\n'],
    ['<style>p{}</style><script>x</script><title>t</title>only', 'only\n'],
    ['<img src="https://x.example/a.png" alt="Alt text">', 'Alt text\n'],
    ['<p>{{name}} {{snippet:x}}</p>', '{{name}} {{snippet:x}}\n'],
    ['<pre>a\n  b</pre>', '    a\n      b\n'],
    ['', ''],
  ])('%j', (html, plain) => {
    expect(textFromHtml(html)).toBe(plain);
  });
});

describe('an author’s HTML that is wider than a phone', () => {
  const tagOf = (html: string) => {
    const mail = render(doc({ type: 'htmlCodeBlock', content: [{ type: 'text', text: html }] })).html;
    return /<\w+ [^>]*EXAMPLE[^>]*>/.exec(mail)![0];
  };

  it.each([
    ['an image by its own limit', '<img src="https://x.example/a.png" alt="EXAMPLE" style="max-width:600px">', 'im'],
    ['an image by its attribute', '<img src="https://x.example/a.png" alt="EXAMPLE" width="1200" height="600">', 'im'],
    ['a table by its attribute', '<table title="EXAMPLE" width="600"><tr><td>x</td></tr></table>', 'fl'],
    ['a block by its style', '<div title="EXAMPLE" style="color:red;min-width: 480.5px">x</div>', 'fl'],
  ])('is fitted to it: %s', (_what, html, name) => {
    expect(tagOf(html)).toContain(` class="${name}"`);
  });

  it.each([
    [
      'a small image',
      '<img src="https://x.example/a.png" alt="EXAMPLE" width="40" height="40" style="max-width:40px">',
    ],
    ['a share', '<table title="EXAMPLE" width="100%"><tr><td>x</td></tr></table>'],
    ['a table that shrinks', '<table title="EXAMPLE" style="width:100%;max-width:600px"><tr><td>x</td></tr></table>'],
    ['another length', '<div title="EXAMPLE" style="border-width:600px;width:90%">x</div>'],
  ])('is left as it is where it fits: %s', (_what, html) => {
    expect(tagOf(html)).not.toContain(' class=');
  });

  it.each([
    ['<img src="https://x.example/a.png" alt="EXAMPLE" style="max-width:1200px;height:600px">', 'height:auto'],
    ['<table title="EXAMPLE" width="1200" style="color:red"><tr><td>x</td></tr></table>', 'width:100%'],
    ['<div title="EXAMPLE" style="width:1200px">x</div>', 'width:auto'],
  ])('is fitted to the mail where it is wider than any mail: %s', (html, size) => {
    expect(tagOf(html)).toMatch(new RegExp(`;max-width:100%;min-width:0;${size}">$`));
  });

  it('has its fitting rules in the block for phones', () => {
    const { html } = render(doc(paragraph(text('x'))));
    const phone = /@media only screen and \(max-width:620px\)\{.*\}/.exec(html)![0];
    expect(phone).toContain('.im{max-width:100%!important;min-width:0!important;height:auto!important}');
    expect(phone).toContain('.fl{width:auto!important;max-width:100%!important;min-width:0!important}');
    expect(phone).toContain('table.fl{width:100%!important}');
  });
});
