import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CampaignFixture } from '../campaign-fixture.js';
import { Site } from '../image-fixtures.js';

const page = `<!doctype html><html><head><title> Peas &amp; Beans </title>
<meta name="description" content="How to &quot;grow&quot; them"><style>p{}</style></head>
<body><nav><a href="/">Home</a></nav><header>Site</header>
<main><h1>Peas</h1><p>Sow <b>early</b>,
 see <a href="../beans?x=1">the beans</a>.<script>steal()</script></p>
<img src="/bed.png" alt="A bed"><a href="javascript:steal()">Free peas</a>
<ul><li>one</li><li>two<ol><li>inner</li></ol></li></ul>
<blockquote><p>Wise words</p></blockquote><pre>a  b
c</pre>
<table><tr><th>Month</th><th>What</th></tr><tr><td>May</td><td>Beans | peas</td></tr></table>
</main><footer>All rights reserved</footer></body></html>`;

const markdown = (base: string) => `# Peas

Sow **early**, see [the beans](${base}/beans?x=1).

![A bed](${base}/bed.png)Free peas

- one
- two
  1. inner

> Wise words

\`\`\`
a  b
c
\`\`\`

| Month | What |
| --- | --- |
| May | Beans \\| peas |`;

describe('fetch_web_page', () => {
  let fixture: CampaignFixture;
  let site: Site;
  beforeAll(async () => {
    site = await Site.open((request, response) => {
      const send = (type: string, body: string | Buffer, more: Record<string, string> = {}) =>
        response.writeHead(200, { 'content-type': type, ...more }).end(body);
      switch (request.url) {
        case '/garden/peas':
          return void send('text/html; charset=utf-8', gzipSync(page), { 'content-encoding': 'gzip' });
        case '/old':
          return void response.writeHead(301, { location: '/garden/peas' }).end();
        case '/latin':
          return void send('text/html; charset=iso-8859-1', Buffer.from('<p>Gr\u00fc\u00dfe</p>', 'latin1'));
        case '/meta':
          return void send(
            'text/html',
            Buffer.from('<meta charset="windows-1252"><p>\u0093\u00e9t\u00e9\u0094 5 \u0080</p>', 'latin1'),
          );
        case '/plain':
          return void send('text/plain', 'As <it> is');
        case '/long':
          return void send('text/html', `<p>${'word '.repeat(300_000)}</p>`);
        case '/heavy':
          return void send('text/html', '<p>x <b>y</b> </p>'.repeat(60_000));
        case '/deep':
          return void send('text/html', `${'<div>'.repeat(100_000)}deep`);
        case '/huge':
          return void send('text/html', Buffer.alloc(5 * 1024 * 1024 + 1, 'x'));
        case '/picture':
          return void send('image/png', Buffer.alloc(10));
        default:
          return void response.writeHead(404).end();
      }
    });
    process.env.FETCH_ALLOWED_ADDRESSES = site.host;
    fixture = await CampaignFixture.open();
    delete process.env.FETCH_ALLOWED_ADDRESSES;
  });
  afterAll(async () => {
    await fixture.close();
    await site.close();
  });

  const read = (path: string) =>
    fixture.harness.data<{ markdown: string; truncated: boolean }>(
      'fetch_web_page',
      { url: site.url(path) },
      fixture.tenant,
    );
  const refusal = (url: string) => fixture.harness.refusal('fetch_web_page', { url }, fixture.tenant);

  it('converts the main content to Markdown with absolute links, without scripts and navigation', async () => {
    const base = site.url('');
    expect(await read('/garden/peas')).toEqual({
      url: site.url('/garden/peas'),
      title: 'Peas & Beans',
      description: 'How to "grow" them',
      markdown: markdown(base),
      truncated: false,
    });
  });

  it('returns the final address after redirects', async () => {
    expect(await read('/old')).toMatchObject({ url: site.url('/garden/peas'), title: 'Peas & Beans' });
  });

  it('reads the encoding of the header or of the page', async () => {
    expect((await read('/latin')).markdown).toBe('Grüße');
    expect((await read('/meta')).markdown).toBe('“été” 5 €');
    expect(await read('/plain')).toMatchObject({ markdown: 'As <it> is', title: null });
  });

  it('cuts long pages and says so, and bears deep ones', async () => {
    const long = await read('/long');
    expect(long.truncated).toBe(true);
    expect(long.markdown).toHaveLength(50_000);
    expect(await read('/deep')).toMatchObject({ markdown: '', truncated: true });
  });

  it('leaves the calls of another organization free while it reads a heavy page', async () => {
    // The threads are there already.
    await read('/heavy');
    let longest = 0;
    let last = performance.now();
    let isReading = true;
    const turn = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (isReading) setImmediate(turn);
    };
    turn();
    const beganAt = performance.now();
    const heavy = read('/heavy').finally(() => (isReading = false));
    let answered = 0;
    while (isReading) {
      await fixture.harness.data('list_campaigns', {}, fixture.otherTenant);
      answered += 1;
    }
    await heavy;
    const whole = performance.now() - beganAt;
    expect(answered).toBeGreaterThan(5);
    expect(longest).toBeLessThan(whole / 3);
  });

  it('refuses content that is not a page, or is larger than 5 MB, with PAGE_NOT_READABLE', async () => {
    expect(await refusal(site.url('/picture'))).toBe('PAGE_NOT_READABLE');
    expect(await refusal(site.url('/huge'))).toBe('PAGE_NOT_READABLE');
  });

  it('refuses missing and non-public addresses with URL_NOT_FETCHABLE', async () => {
    for (const url of [site.url('/none'), 'http://127.0.0.1/', 'http://localhost:5432/', 'http://[::ffff:10.0.0.1]/']) {
      expect(await refusal(url)).toBe('URL_NOT_FETCHABLE');
    }
    expect(await refusal('file:///etc/passwd')).toBe('PARAMETERS_INVALID');
  });
});
