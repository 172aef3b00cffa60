import MarkdownIt from 'markdown-it';
import { toolReference, v1Reference } from '#contracts';
import { Markup, markup } from './markup.js';
import { page } from './page.js';
import type { Page } from './page.js';

/** The first page: what runs here and where to go on. */
export const homePage = (toolCount: number, hasMailbox: boolean): Page =>
  page(
    { title: 'Tidings' },
    markup`<p>Email marketing and automation, driven through ${toolCount} tools over HTTP.</p><ul>
<li><a href="/docs">Reference</a> of tools and v1, and the same as <a href="/api/openapi.json">OpenAPI</a></li>
<li><code>/api/mcp</code> for agents (MCP with an API token)</li>
<li><a href="/api/v2/tools">Tool listing</a> as JSON (needs an API token)</li>
${hasMailbox ? markup`<li><a href="/mailbox">Mailbox</a>: mail sent here is caught, not delivered</li>` : null}
<li><a href="/readyz">State</a> and <a href="/metrics">metrics</a></li></ul>`,
  );

/** The reference of all tools, from the contracts. */
export function referencePage(): Page {
  const [, ...rest] = `${toolReference()}\n${v1Reference()}`.split('\n');
  const html = new MarkdownIt({ html: false }).render(rest.join('\n'));
  return page({ title: 'Reference', wide: true }, new Markup(html));
}
