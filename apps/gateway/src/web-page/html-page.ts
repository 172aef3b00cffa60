import { createHash } from 'node:crypto';
import { Markup, markup } from '#html-template';

export interface Page {
  status: number;
  language: string;
  html: string;
}

const style = `:root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--line:#e0e1e6;--paper:#fff;--ground:#f4f5f7;--accent:#1f5fd0}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#a5abb5;--line:#363a3f;--paper:#1b1d1f;--ground:#101213;--accent:#7ba6ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;padding:1.25rem;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:28rem;margin:max(1rem,12vh) auto 0;padding:2rem;background:var(--paper);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}
main.wide{max-width:56rem;margin-top:1rem}
h1{margin:0 0 .75rem;font-size:1.4rem;line-height:1.25}
h2{margin:2rem 0 .5rem;font-size:1.15rem}h3{margin:1.75rem 0 .25rem;font:600 1rem ui-monospace,monospace}
p{margin:0 0 1rem}p:last-child,form:last-child{margin-bottom:0}
.soft{color:var(--soft);font-size:.9rem}
a{color:var(--accent)}
button{display:block;width:100%;min-height:2.9rem;margin-top:1.25rem;padding:.6rem 1rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--paper);font:inherit;font-weight:600;cursor:pointer}
button.quiet{background:none;color:var(--accent)}
label{display:block;margin-top:1.25rem}
input{display:block;width:100%;min-height:2.9rem;margin-top:.3rem;padding:.6rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--paper);color:var(--ink);font:inherit}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
table{display:block;margin-bottom:1rem;overflow-x:auto;border-collapse:collapse;font-size:.9rem}td,th{padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
code,pre{font:.85rem ui-monospace,monospace}pre{overflow-x:auto;padding:.75rem;border-radius:.5rem;background:var(--ground)}
ul{padding-left:1.2rem;margin-bottom:0}
.contents{columns:16rem;margin-bottom:2rem;padding:0;list-style:none;font-size:.9rem}.contents strong{display:block;margin-top:.75rem}`;

/** Loads and runs nothing; the one style sheet is allowed by its digest, and forms are sent only to this site. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

export function page(facts: { status?: number; language?: string; title: string; wide?: boolean }, body: Markup): Page {
  const { status = 200, language = 'en', title, wide = false } = facts;
  const { text } = markup`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${new Markup(style)}</style></head>
<body><main${wide ? new Markup(' class="wide"') : null}><h1>${title}</h1>${body}</main></body></html>`;
  return { status, language, html: text };
}
