import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { boot } from './boot.js';
import type { Catcher } from './boot.js';

interface Listed {
  total: number;
  mails: {
    id: string;
    envelope: { from: string; to: string[] };
    from: string;
    to: string;
    subject: string;
    url: string;
  }[];
  next: string | null;
}

let root: string;
let dataDir: string;
let catcher: Catcher;
let transport: Transporter;
let made = 0;

const start = async (mailsMax = 1_000): Promise<Catcher> => boot({ smtpPort: 0, httpPort: 0, dataDir, mailsMax });
const get = (path: string, method = 'GET'): Promise<Response> => fetch(catcher.mailboxUrl + path, { method });
const text = async (path: string): Promise<string> => (await get(path)).text();
const list = async (query = ''): Promise<Listed> => (await (await get(`/mailbox.json${query}`)).json()) as Listed;
const files = async (): Promise<string[]> => (await readdir(join(dataDir, 'mailbox'))).sort();
const mail = {
  from: 'Shop <news@shop.org>',
  to: 'ann@site.org',
  subject: 'Hello',
  text: 'Hello Ann',
  html: '<p>Hello <b>Ann</b></p>',
};

const send = (changes: SendMailOptions = {}): Promise<unknown> => transport.sendMail({ ...mail, ...changes });

/** Sends all lines at once after the SMTP greeting; returns all output of the server once it closes. */
const dialogue = (lines: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(catcher.smtpUrl).port), '127.0.0.1');
    let said = '';
    socket.once('data', () => socket.write(`${lines.join('\r\n')}\r\n`, 'latin1'));
    socket.on('data', (chunk) => (said += chunk.toString()));
    socket.once('close', () => resolve(said));
    socket.once('error', reject);
  });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'catcher-'));
});
beforeEach(async () => {
  dataDir = join(root, String(made++));
  catcher = await start();
  transport = createTransport({ url: catcher.smtpUrl, pool: true, maxConnections: 1 });
});
afterEach(() => {
  transport.close();
  return catcher.stop();
});
afterAll(() => rm(root, { recursive: true }));

describe('the SMTP side', () => {
  it('keeps what nodemailer sends, with its envelope, before it answers', async () => {
    await send({ to: ['ann@site.org', 'bea@site.org'], bcc: 'hidden@site.org' });
    const { total, mails } = await list();
    expect(total).toBe(1);
    expect(mails[0]).toMatchObject({
      envelope: { from: 'news@shop.org', to: ['ann@site.org', 'bea@site.org', 'hidden@site.org'] },
      from: 'Shop <news@shop.org>',
      to: 'ann@site.org, bea@site.org',
      subject: 'Hello',
    });
    expect(await files()).toEqual([`${mails[0]!.id}.eml`, `${mails[0]!.id}.json`]);
  });

  it('answers 250 with the name of a file that is there', async () => {
    const said = await dialogue([
      'EHLO x',
      'MAIL FROM:<a@b.org>',
      'RCPT TO:<c@d.org>',
      'DATA',
      'Subject: x',
      '',
      'y',
      '.',
      'QUIT',
    ]);
    const id = /^250 stored as (\S+)/m.exec(said)![1]!;
    expect(existsSync(join(dataDir, 'mailbox', `${id}.eml`))).toBe(true);
  });

  it('offers PIPELINING, 8BITMIME, SMTPUTF8 and its size, and no STARTTLS', async () => {
    const said = await dialogue(['EHLO x', 'QUIT']);
    for (const feature of ['PIPELINING', '8BITMIME', 'SMTPUTF8', `SIZE ${25 * 1024 * 1024}`])
      expect(said).toContain(feature);
    expect(said).not.toContain('STARTTLS');
  });

  it('takes any login, the null sender and UTF-8 addresses', async () => {
    const loggedIn = createTransport(catcher.smtpUrl.replace('//', '//anybody:anything@'));
    await loggedIn.sendMail({ ...mail, envelope: { from: '', to: ['用户@site.org'] } });
    loggedIn.close();
    expect((await list()).mails[0]!.envelope).toEqual({ from: '', to: ['用户@site.org'] });
  });

  it('gives a mail back octet for octet', async () => {
    const body = 'Subject: dots\r\n\r\n.\r\n..\r\ncaf\xe9\r\n';
    const stuffed = body.replace(/^\./gm, '..').replace(/\r\n$/, '');
    await dialogue(['EHLO x', 'MAIL FROM:<a@b.org>', 'RCPT TO:<c@d.org>', 'DATA', stuffed, '.', 'QUIT']);
    const answer = await get((await list()).mails[0]!.url);
    expect(answer.headers.get('content-type')).toBe('message/rfc822');
    expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toBe(body);
  });

  it('refuses more than 25 MB with 552 and keeps nothing of it', async () => {
    await expect(send({ text: 'x'.repeat(76).concat('\n').repeat(350_000) })).rejects.toMatchObject({
      responseCode: 552,
    });
    expect(await files()).toEqual([]);
    await send();
    expect((await list()).total).toBe(1);
  });

  it('takes 400 mails on 20 connections, each once', async () => {
    const pool = createTransport({ url: catcher.smtpUrl, pool: true, maxConnections: 20 });
    await Promise.all(Array.from({ length: 400 }, (_, n) => pool.sendMail({ ...mail, to: `p${n}@site.org` })));
    pool.close();
    const { total, mails } = await list('?limit=1000');
    expect(total).toBe(400);
    expect(new Set(mails.map(({ envelope }) => envelope.to[0])).size).toBe(400);
    expect(mails.map(({ id }) => id)).toEqual(
      mails
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
  });
});

describe('the folder', () => {
  const restart = async (mailsMax?: number): Promise<void> => {
    transport.close();
    await catcher.stop();
    catcher = await start(mailsMax);
    transport = createTransport({ url: catcher.smtpUrl, pool: true, maxConnections: 1 });
  };

  it('keeps the newest, across a restart with a smaller limit too', async () => {
    await restart(3);
    for (let n = 0; n < 5; n++) await send({ subject: `mail ${n}` });
    expect((await list()).mails.map(({ subject }) => subject)).toEqual(['mail 4', 'mail 3', 'mail 2']);
    await restart(2);
    expect((await list()).mails.map(({ subject }) => subject)).toEqual(['mail 4', 'mail 3']);
    expect(await files()).toHaveLength(4);
  });

  it('finds its mails again, goes on behind them, and sweeps what a crash left', async () => {
    await send({ subject: 'before' });
    const [{ id }] = (await list()).mails as [Listed['mails'][number]];
    const half = `${String(Number(id.slice(0, 13)) - 1)}-000001-abcd`;
    await writeFile(join(dataDir, 'mailbox', `${half}.tmp`), 'half a mail');
    await writeFile(join(dataDir, 'mailbox', `${half}.json`), '{"from":"","to":[]}');
    await writeFile(join(dataDir, 'mailbox', 'notes.txt'), 'not ours');
    await restart();
    expect(await files()).toEqual([`${id}.eml`, `${id}.json`, 'notes.txt']);
    await send({ subject: 'after' });
    expect((await list()).mails.map(({ subject }) => subject)).toEqual(['after', 'before']);
    expect((await list('?to=ann@')).total).toBe(2);
  });

  it('says which folder cannot be used', async () => {
    await mkdir(join(root, 'blocked'));
    await writeFile(join(root, 'blocked', 'mailbox'), 'a file');
    const wrong = boot({ smtpPort: 0, httpPort: 0, dataDir: join(root, 'blocked'), mailsMax: 10 });
    await expect(wrong).rejects.toThrow(/blocked\/mailbox cannot be used: .*Set DATA_DIR/);
  });

  it.each([
    ['smtpPort', 'CATCHER_SMTP_PORT', 'smtpUrl'],
    ['httpPort', 'CATCHER_HTTP_PORT', 'mailboxUrl'],
  ] as const)('says that %s is in use and what to set', async (port, setting, url) => {
    const used = Number(new URL(catcher[url]).port);
    const second = boot({ smtpPort: 0, httpPort: 0, dataDir: join(root, 'second'), mailsMax: 10, [port]: used });
    await expect(second).rejects.toThrow(`Port ${used} of 127.0.0.1 is in use. Set ${setting}`);
  });
});

describe('the pages', () => {
  const hostile = '<script>alert(1)</script>"\'&';

  it('list the newest first, by page and by recipient', async () => {
    expect(await text('/mailbox')).toContain('No mail yet');
    for (let n = 0; n < 52; n++) await send({ subject: `mail ${n}.`, to: n === 7 ? 'bea@site.org' : 'ann@site.org' });
    const first = await text('/mailbox');
    expect(first).toContain('52 mails');
    expect(first.indexOf('mail 51.')).toBeLessThan(first.indexOf('mail 50.'));
    expect(first).not.toContain('mail 1.');
    expect(await text('/mailbox?page=2')).toContain('mail 1.');
    const searched = await text('/mailbox?to=BEA@');
    expect(searched).toContain('1 mail to');
    expect(searched).toContain('mail 7.');
    expect(await text('/mailbox?to=nobody')).toContain('No mail to “nobody”');
  });

  it('show a mail: what it says of itself, its text, and its HTML in a frame that runs nothing', async () => {
    await send();
    const [{ id }] = (await list()).mails as [Listed['mails'][number]];
    const page = await text(`/mailbox/${id}`);
    for (const part of ['<h1>Hello</h1>', 'Shop &lt;news@shop.org&gt;', 'Hello Ann', `/mailbox/${id}.eml`]) {
      expect(page).toContain(part);
    }
    expect(page).toMatch(new RegExp(`<iframe\\s+src="/mailbox/${id}/html"[^>]*sandbox="allow-popups[^"]*"`));
    expect(page).not.toMatch(/allow-scripts|allow-same-origin/);
    const frame = await get(`/mailbox/${id}/html`);
    expect((await frame.text()).trim()).toBe('<base target="_blank"><p>Hello <b>Ann</b></p>');
    expect(frame.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-popups(?!.*script)(?!.*same-origin).*default-src 'none'/,
    );
    expect(frame.headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });

  it('fit a phone: as wide as its screen, the list in rows, the frame from edge to edge', async () => {
    await send();
    const [{ id }] = (await list()).mails as [Listed['mails'][number]];
    for (const path of ['/mailbox', `/mailbox/${id}`]) {
      const page = await text(path);
      expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
      const phone = page.slice(page.indexOf('@media(max-width:720px)'), page.indexOf('</style>'));
      expect(phone).toMatch(/\.list thead\{display:none\}/);
      expect(phone).toMatch(/iframe\{[^}]*margin:0 -16px;width:calc\(100% \+ 32px\)\}/);
    }
  });

  it('escape the content of mails and addresses', async () => {
    await send({
      subject: hostile,
      from: { name: hostile, address: 'news@shop.org' },
      text: hostile,
      html: '',
      headers: { 'X-Note': hostile },
    });
    const [{ id }] = (await list()).mails as [Listed['mails'][number]];
    for (const path of ['/mailbox', `/mailbox/${id}`, `/mailbox?to=${encodeURIComponent(hostile)}`]) {
      const page = await text(path);
      expect(page).toContain('&lt;script&gt;');
      expect(page).not.toContain('<script');
    }
    expect((await get(`/mailbox/${id}/html`)).status).toBe(404);
  });

  it('carry a policy that allows their own style and no more, on every answer', async () => {
    await send();
    const [{ id }] = (await list()).mails as [Listed['mails'][number]];
    for (const path of [
      '/mailbox',
      `/mailbox/${id}`,
      '/mailbox.json',
      `/mailbox/${id}.eml`,
      `/mailbox/${id}/html`,
      '/nowhere',
    ]) {
      const { headers } = await get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).not.toContain('script-src');
    }
    expect((await get('/mailbox')).headers.get('content-security-policy')).toMatch(
      /style-src 'sha256-[^']+'.*frame-ancestors 'none'/,
    );
  });

  it('show headers, text and source of a mail, and what spam filters look at', async () => {
    await send({
      from: { name: 'Shop', address: 'news@shop.org' },
      envelope: { from: 'b.1@bounce.shop.org', to: ['ada@post.internal'] },
      subject: 'Spring',
      text: 'Spring is here.',
      html: '<p>Spring is here.</p><img src="https://shop.org/a.png">',
      headers: {
        'DKIM-Signature': 'v=1; a=rsa-sha256; d=shop.org; s=td1; b=x',
        'List-Unsubscribe': '<https://shop.org/u/1>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
    const [{ id }] = (await list()).mails as [Listed['mails'][number]];
    const page = await text(`/mailbox/${id}`);
    for (const section of ['html', 'text', 'headers', 'checks', 'source']) expect(page).toContain(`id="${section}"`);
    expect(page).toContain(
      '<dt class="good">✓ DKIM signature</dt><dd>d=shop.org, s=td1, rsa-sha256; aligned with From',
    );
    expect(page).toContain('<dt class="good">✓ Return path</dt><dd>bounce.shop.org; SPF can align with From</dd>');
    expect(page).toContain('<dt class="good">✓ Unsubscribe header</dt><dd>one-click over https</dd>');
    expect(page).toContain('<dt class="bad">✗ Images</dt><dd>1, 1 without alt</dd>');
    expect(page.slice(page.indexOf('id="source"'))).toContain('Subject: Spring');
  });

  it('answer a health check without reading mail', async () => {
    await send();
    for (const file of await files()) await rm(join(dataDir, 'mailbox', file));
    const { status } = await get('/healthz');
    expect([status, (await get('/mailbox.json')).ok]).toEqual([200, false]);
  });

  it('show a mail that cannot be parsed, by its source', async () => {
    const nested = Array.from(
      { length: 80 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    ).join('');
    await dialogue(['EHLO x', 'MAIL FROM:<a@b.org>', 'RCPT TO:<c@d.org>', 'DATA', nested, '.', 'QUIT']);
    const [{ id }] = (await list()).mails as [Listed['mails'][number]];
    expect(await text(`/mailbox/${id}`)).toContain('cannot be parsed');
  });

  it.each([
    '/mailbox/1',
    '/mailbox/../../etc/passwd',
    '/mailbox/%2e%2e%2fx.eml',
    '/mailbox/x/html',
    '/',
    '//',
    '/mailbox/%zz',
  ])('answer 404 for %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('refuse other methods', async () => {
    const answer = await get('/mailbox', 'POST');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
    expect((await get('/mailbox/1', 'DELETE')).status).toBe(405);
    expect((await get('/mailbox', 'HEAD')).status).toBe(200);
  });
});

describe('the list for programs', () => {
  it('goes through all mails by cursor, with the total', async () => {
    for (let n = 0; n < 5; n++) await send({ subject: `mail ${n}`, to: `p${n % 2}@site.org` });
    const first = await list('?limit=2');
    const second = await list(`?limit=2&after=${first.next}`);
    const third = await list(`?limit=2&after=${second.next}`);
    expect([...first.mails, ...second.mails, ...third.mails].map(({ subject }) => subject)).toEqual(
      [4, 3, 2, 1, 0].map((n) => `mail ${n}`),
    );
    expect([first.total, third.next]).toEqual([5, null]);
    expect(await list('?to=p1@')).toMatchObject({ total: 2, mails: [{ subject: 'mail 3' }, { subject: 'mail 1' }] });
  });

  it('empties the mailbox', async () => {
    await send();
    await send();
    expect(await (await get('/mailbox', 'DELETE')).json()).toEqual({ deleted: 2 });
    expect([(await list()).total, await files()]).toEqual([0, []]);
  });
});
