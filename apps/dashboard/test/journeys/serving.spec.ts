import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from '@jest/globals';
import { describeInBrowser, ownerPerson } from '../harness.js';

/** Sends a path as it stands, with any Host field: fetch would change both. */
const get = (url: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    request(new URL(url), { path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('latin1'),
        }),
      );
    })
      .once('error', reject)
      .end();
  });

interface Policies {
  trustedTypes: { createPolicy: (name: string, rules: object) => unknown };
}

const scriptOf = (html: string): string => /src="(\/assets\/[^"]+\.js)"/.exec(html)![1]!;

describeInBrowser('the gateway', (fixture) => {
  it.each(['/', '/1', '/12/subscribers/sub_1', '/sign-in', '/setup', '/account/profile', '/installation/sends'])(
    'serves the dashboard at %s under a policy that allows own files only',
    async (path) => {
      const { status, headers, text } = await get(fixture().url, path);
      expect(status).toBe(200);
      expect(text).toContain('<div id="root">');
      expect(headers['content-security-policy']).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self';.*require-trusted-types-for 'script'/,
      );
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      });
    },
  );

  it.each([
    '/nowhere',
    '/1x',
    '/subscribers',
    '/account/other',
    '/assets/',
    '/assets/none.js',
    '/assets/..%2findex.html',
  ])('answers 404 at %s', async (path) => {
    expect((await get(fixture().url, path)).status).toBe(404);
  });

  it.each(['/sign-in', '/1', '/preview'])('serves no %s on the web domain of a customer', async (path) => {
    expect((await get(fixture().url, path, { host: 'news.example.org' })).status).toBe(404);
  });

  it('sends hashed files compressed, to be kept for a year', async () => {
    const script = scriptOf((await get(fixture().url, '/sign-in')).text);
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const { status, headers } = await get(fixture().url, script, { 'accept-encoding': accepted });
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBe(coding);
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'accept-encoding',
      });
    }
    expect((await get(fixture().url, script, { host: 'news.example.org' })).status).toBe(404);
  });

  it('leads from the sign-in to a page that the dashboard does not have', async () => {
    await fixture().setUp();
    const visit = await fixture().visit();
    await visit.open('/sign-in?next=%2Fdocs');
    await visit.type(visit.page.getByLabel('Email'), ownerPerson.email);
    await visit.type(visit.page.getByLabel('Password'), ownerPerson.password);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.locator('#list_tags').waitFor();
    expect(new URL(visit.page.url()).pathname).toBe('/docs');
    await visit.close();
  });

  it('lets no page run a script from a string', async () => {
    const visit = await fixture().visit();
    await visit.open('/sign-in');
    const outcome = await visit.page.evaluate(() => {
      const attempt = (work: () => void): string => {
        try {
          work();
          return 'done';
        } catch (error) {
          return (error as Error).name;
        }
      };
      const script = document.createElement('script');
      return {
        html: attempt(() => (document.createElement('div').innerHTML = '<b>x</b>')),
        source: attempt(() => (script.src = 'https://example.org/x.js')),
        policy: attempt(() => void (globalThis as unknown as Policies).trustedTypes.createPolicy('another', {})),
      };
    });
    expect(outcome).toEqual({ html: 'TypeError', source: 'TypeError', policy: 'TypeError' });
    // The attempts themselves are what the browser reports.
    visit.problems.length = 0;
    await visit.close();
  });

  it('shows a mail in the preview frame with its styles, and runs and follows nothing in it', async () => {
    const visit = await fixture().visit();
    await visit.open('/sign-in');
    await visit.page.evaluate(async () => {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-scripts');
      frame.src = '/preview';
      const { port1, port2 } = new MessageChannel();
      const heard: Record<string, unknown>[] = [];
      const until = (isSo: (one: Record<string, unknown>) => boolean) =>
        new Promise<void>((resolve) => {
          const look = () => (heard.some(isSo) ? resolve() : requestAnimationFrame(look));
          look();
        });
      port1.onmessage = ({ data }) => heard.push(data as Record<string, unknown>);
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      document.body.append(frame);
      await loaded;
      frame.contentWindow!.postMessage('', '*', [port2]);
      await until((one) => 'ready' in one);
      heard.length = 0;
      port1.postMessage({
        html: `<html><head><meta http-equiv="refresh" content="0;url=/sign-in?stolen"><style>#a{display:block;height:321px}</style></head>
          <body style="margin:0" onload="parent.postMessage('ran','*')"><a id="a" href="https://example.org/x">link</a>
          <script>parent.postMessage('ran','*')</script><img src="data:," onerror="parent.postMessage('ran','*')">
          <form action="https://example.org/steal"><button>send</button></form></body></html>`,
      });
      // An empty frame has a height too.
      await until(({ height }) => Number(height) > 320);
    });
    const ran = visit.page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener('message', ({ data }) => data === 'ran' && resolve(data));
          // oxlint-disable-next-line tidings/fixed-waits -- nothing happens: there is no condition to await
          setTimeout(() => resolve('nothing'), 500);
        }),
    );
    const frame = visit.page.frames().find((one) => one.url().endsWith('/preview'))!;
    await frame.getByText('link').click();
    await frame.getByRole('button', { name: 'send' }).click();
    expect(await ran).toBe('nothing');
    expect(frame.url()).toMatch(/\/preview$/);
    // The browser reports what the policy and the sandbox of the frame refused.
    visit.problems.splice(
      0,
      visit.problems.length,
      ...visit.problems.filter((one) => !/inline|event handler|form submission/i.test(one)),
    );
    await visit.close();
  });
});
