import { createServer } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { parseMail, summarize } from './mail-summary.js';
import type { Mail, MailStore } from './mail-store.js';
import { listPage, mailPage, messagePage, styleDigest } from './mailbox-pages.js';

const PAGE_ROWS = 50;
const JSON_ROWS = { usual: 100, max: 1000 };

const PAGE_POLICY =
  `default-src 'none'; style-src '${styleDigest}'; frame-src 'self'; form-action 'self'; ` +
  "base-uri 'none'; frame-ancestors 'none'";
/** A mail's HTML is untrusted: no scripts, no forms, its own origin; images and styles as in a mail client. */
const MAIL_POLICY =
  'sandbox allow-popups allow-popups-to-escape-sandbox; ' +
  "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; font-src https: data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

const DOCUMENT_START = /^\s*(?:<!doctype[^>]*>|<html\b[^>]*>|<head\b[^>]*>)?/i;

interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: OutgoingHttpHeaders;
}

const htmlAnswer = (status: number, body: string): Answer => ({ status, type: 'text/html; charset=utf-8', body });
const jsonAnswer = (status: number, body: unknown): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
const notFound = (): Answer => htmlAnswer(404, messagePage('There is no such mail; only the newest are kept.'));

const wholeNumber = (text: string | null, usual: number, max: number): number => {
  const number = text !== null && /^\d{1,9}$/.test(text) ? Number(text) : usual;
  return Math.min(Math.max(number, 1), max);
};

const showList = async (store: MailStore, query: URLSearchParams): Promise<Answer> => {
  const to = query.get('to')?.trim() ?? '';
  const page = wholeNumber(query.get('page'), 1, 1e9);
  const { mails, total } = store.list({ to, skip: (page - 1) * PAGE_ROWS, limit: PAGE_ROWS });
  const rows = await Promise.all(mails.map(async (mail) => ({ mail, summary: await store.summary(mail) })));
  return htmlAnswer(200, listPage({ rows, total, to, page, pageCount: Math.max(1, Math.ceil(total / PAGE_ROWS)) }));
};

/** `next` is the id to pass as `after` for older mails; null at the end. */
const giveList = async (store: MailStore, query: URLSearchParams): Promise<Answer> => {
  const limit = wholeNumber(query.get('limit'), JSON_ROWS.usual, JSON_ROWS.max);
  const after = query.get('after') ?? undefined;
  const { mails, total } = store.list({ to: query.get('to') ?? '', limit, ...(after ? { after } : {}) });
  const rows = await Promise.all(
    mails.map(async (mail) => ({
      id: mail.id,
      receivedAt: mail.receivedAt.toISOString(),
      envelope: mail.envelope,
      ...(await store.summary(mail)),
      url: `/mailbox/${mail.id}.eml`,
    })),
  );
  return jsonAnswer(200, { total, mails: rows, next: rows.length === limit ? rows.at(-1)!.id : null });
};

const showMail = async (store: MailStore, mail: Mail): Promise<Answer> => {
  const raw = await store.content(mail);
  const email = await parseMail(raw);
  return htmlAnswer(200, mailPage(mail, { summary: summarize(email), email, raw }));
};

const giveSource = async (store: MailStore, mail: Mail): Promise<Answer> => ({
  status: 200,
  type: 'message/rfc822',
  body: await store.content(mail),
  headers: { 'content-disposition': `attachment; filename="${mail.id}.eml"` },
});

const giveHtml = async (store: MailStore, mail: Mail): Promise<Answer> => {
  const email = await parseMail(await store.content(mail));
  if (!email?.html) return htmlAnswer(404, messagePage('This mail has no HTML.'));
  // Links open in a new tab, since the frame may not navigate.
  const body = email.html.replace(DOCUMENT_START, '$&<base target="_blank">');
  return {
    ...htmlAnswer(200, body),
    headers: { 'content-security-policy': MAIL_POLICY, 'x-frame-options': 'SAMEORIGIN' },
  };
};

const VIEWS = { '': showMail, '.eml': giveSource, '/html': giveHtml };

const route = async (store: MailStore, method: string, url: URL): Promise<Answer> => {
  const path = url.pathname.replace(/(?<=.)\/$/, '');
  const reads = method === 'GET' || method === 'HEAD';
  if (path === '/mailbox' && method === 'DELETE') return jsonAnswer(200, { deleted: await store.deleteAll() });
  if (!reads) {
    const allow = path === '/mailbox' ? 'GET, HEAD, DELETE' : 'GET, HEAD';
    return { ...htmlAnswer(405, messagePage('Not this way.')), headers: { allow } };
  }
  // A health check must cost the same however many mails are stored.
  if (path === '/healthz') return jsonAnswer(200, { status: 'ok' });
  if (path === '/mailbox') return showList(store, url.searchParams);
  if (path === '/mailbox.json') return giveList(store, url.searchParams);
  const [, id = '', view = ''] = /^\/mailbox\/([^./]+)(\.eml|\/html)?$/.exec(path) ?? [];
  const mail = store.find(id);
  return mail ? VIEWS[view as keyof typeof VIEWS](store, mail) : notFound();
};

const send = (response: ServerResponse, { status, type, body, headers }: Answer): void => {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
};

const answer = async (store: MailStore, request: IncomingMessage): Promise<Answer> => {
  try {
    return await route(store, request.method ?? 'GET', new URL(request.url ?? '/', 'http://mailbox'));
  } catch (error) {
    // The mail was deleted between look-up and read, or the address is no valid URL.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ERR_INVALID_URL') return notFound();
    return htmlAnswer(500, messagePage('The mailbox folder cannot be read.'));
  }
};

export const createMailboxServer = (store: MailStore): Server =>
  createServer((request, response) => {
    request.resume();
    void answer(store, request).then((given) => send(response, given));
  });
