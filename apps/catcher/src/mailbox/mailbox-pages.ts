import { createHash } from 'node:crypto';
import type { Email } from 'postal-mime';
import { factsOf } from './mail-facts.js';
import type { MailFact } from './mail-facts.js';
import type { Mail } from './mail-store.js';
import type { MailSummary } from './mail-summary.js';
import { Markup, markup } from '#html-template';
import { style } from './mailbox-style.js';

/** Digest of the style sheet, so that the content security policy allows it and no other. */
export const styleDigest = `sha256-${createHash('sha256').update(style).digest('base64')}`;

export interface OpenedMail {
  summary: MailSummary;
  email: Email | null;
  raw: Buffer;
}

export interface Listing {
  rows: { mail: Mail; summary: MailSummary }[];
  total: number;
  to: string;
  page: number;
  pageCount: number;
}

const page = (title: string, body: Markup): string =>
  markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${new Markup(style)}</style></head>
<body>${body}</body></html>
`.text;

const time = (at: Date): Markup => {
  const iso = at.toISOString();
  return markup`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}</time>`;
};

const sizeText = (octets: number): string =>
  octets < 1024
    ? `${octets} B`
    : octets < 1024 ** 2
      ? `${Math.round(octets / 1024)} KB`
      : `${(octets / 1024 ** 2).toFixed(1)} MB`;

const listAddress = (to: string, pageNo: number): string => {
  const query = new URLSearchParams();
  if (to) query.set('to', to);
  if (pageNo > 1) query.set('page', String(pageNo));
  return query.size > 0 ? `/mailbox?${query.toString()}` : '/mailbox';
};

const row = ({ mail, summary }: Listing['rows'][number]): Markup => markup`
<tr><td class="subject"><a href="/mailbox/${mail.id}">${summary.subject || '(no subject)'}</a></td>
<td class="from">${summary.from || mail.envelope.from}</td><td class="to">${mail.envelope.to.join(', ')}</td><td class="time">${time(mail.receivedAt)}</td></tr>`;

const pager = ({ to, page: at, pageCount }: Listing): Markup => markup`<nav>
${at > 1 ? markup`<a href="${listAddress(to, at - 1)}" rel="prev">← Newer</a>` : markup`<span>← Newer</span>`}
<span>Page ${at} of ${pageCount}</span>
${at < pageCount ? markup`<a href="${listAddress(to, at + 1)}" rel="next">Older →</a>` : markup`<span>Older →</span>`}</nav>`;

const nothing = (to: string): Markup =>
  to
    ? markup`<p class="empty">No mail to “${to}”. <a href="/mailbox">Show all</a></p>`
    : markup`<p class="empty">No mail yet. Everything that is sent through the built-in relay appears here; nothing leaves this machine.</p>`;

export const listPage = (listing: Listing): string => {
  const { rows, total, to } = listing;
  return page(
    'Mailbox',
    markup`<header><h1>Mailbox</h1><span class="count">${total} ${total === 1 ? 'mail' : 'mails'}${to ? ` to “${to}”` : ''}</span>
<form action="/mailbox" role="search"><input type="search" name="to" value="${to}" placeholder="Recipient" aria-label="Recipient"><button>Search</button></form></header>
<main>${
      rows.length > 0
        ? markup`<table class="list"><thead><tr><th>Subject</th><th>From</th><th>To</th><th>Received (UTC)</th></tr></thead>
<tbody>${rows.map(row)}</tbody></table>${pager(listing)}`
        : nothing(to)
    }</main>`,
  );
};

const fact = (name: string, value: string): Markup => (value ? markup`<dt>${name}</dt><dd>${value}</dd>` : markup``);

const attachments = (email: Email): Markup => {
  if (email.attachments.length === 0) return markup``;
  const items = email.attachments.map(({ filename, mimeType, content }) => {
    const octets = typeof content === 'string' ? content.length : content.byteLength;
    return markup`<li>${filename ?? 'without a name'} <small>${mimeType}, ${sizeText(octets)}</small></li>`;
  });
  return markup`<section><h2>Attachments</h2><ul>${items}</ul></section>`;
};

const marks: Record<MailFact['verdict'], string> = { good: '✓', bad: '✗', neutral: '·' };

const checks = (email: Email, mail: Mail): Markup => {
  const rows = factsOf(email, mail.envelope).map(
    ({ name, value, verdict }) => markup`<dt class="${verdict}">${marks[verdict]} ${name}</dt><dd>${value}</dd>`,
  );
  return markup`<section id="checks"><h2>What spam filters look at</h2><dl>${rows}</dl></section>`;
};

/** The page shows this much of a mail's source; the download has all of it. */
const sourceOctetsMax = 256 * 1024;

const sourceOf = (raw: Buffer): Markup => {
  const cut = raw.length > sourceOctetsMax ? `\n… ${sizeText(raw.length - sourceOctetsMax)} more in the download.` : '';
  return markup`<details id="source"><summary>Source, ${sizeText(raw.length)}</summary><pre>${raw.toString('utf8', 0, sourceOctetsMax)}${cut}</pre></details>`;
};

/** Shows one mail: header fields, HTML in a frame of its own, text, header and source. */
export const mailPage = (mail: Mail, { summary, email, raw }: OpenedMail): string => {
  const { id, envelope, receivedAt } = mail;
  const html = email?.html
    ? markup`<section id="html"><h2>HTML</h2><iframe src="/mailbox/${id}/html" title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></section>`
    : markup``;
  const text = email?.text
    ? markup`<details id="text"${email.html ? markup`` : markup` open`}><summary>Text</summary><pre>${email.text}</pre></details>`
    : markup``;
  const headers = email?.headers.map(({ originalKey, value }) => markup`<b>${originalKey}:</b> ${value}\n`) ?? [];
  return page(
    summary.subject || 'Mail',
    markup`<header><a href="/mailbox">← Mailbox</a><a class="source" href="/mailbox/${id}.eml">Download (.eml)</a></header>
<main><h1>${summary.subject || '(no subject)'}</h1>
<dl>${fact('From', summary.from)}${fact('To', summary.to)}${fact('Sent by', envelope.from || '<> (bounces are not returned)')}
${fact('Delivered to', envelope.to.join(', '))}<dt>Received</dt><dd>${time(receivedAt)} UTC</dd></dl>
${email ? markup`` : markup`<p class="empty">This mail cannot be parsed; its source is below.</p>`}
${html}${text}${email ? attachments(email) : markup``}
<details id="headers"><summary>Headers</summary><pre>${headers}</pre></details>
${email ? checks(email, mail) : markup``}
${sourceOf(raw)}</main>`,
  );
};

export const messagePage = (message: string): string =>
  page(message, markup`<header><a href="/mailbox">← Mailbox</a></header><main><p class="empty">${message}</p></main>`);
