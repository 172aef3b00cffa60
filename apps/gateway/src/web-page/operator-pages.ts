import MarkdownIt from 'markdown-it';
import { toolReference, v1Reference } from '#contracts';
import { Markup, markup } from '#html-template';
import { page } from './html-page.js';
import type { Page } from './html-page.js';

export const homePage = (toolCount: number, hasMailbox: boolean): Page =>
  page(
    { title: 'Tidings' },
    markup`<p>Email marketing and automation, driven through ${toolCount} tools over HTTP.</p><ul>
<li><a href="/docs">Reference</a> of tools and v1, and the same as <a href="/api/openapi.json">OpenAPI</a></li>
<li><code>/api/mcp</code> for agents (MCP with an API token)</li>
<li><a href="/api/v2/tools">Tool listing</a> as JSON (needs an API token)</li>
${hasMailbox ? markup`<li><a href="/mailbox">Mailbox</a>: mail sent here is caught, not delivered</li>` : null}</ul>`,
  );

/** The reference of all tools and of v1, generated from the contracts, with contents; each name has an anchor. */
export function referencePage(): Page {
  const [, ...rest] = `${toolReference()}\n${v1Reference()}`.split('\n');
  const markdown = new MarkdownIt({ html: false });
  const tokens = markdown.parse(rest.join('\n'), {});
  const contents = tokens.flatMap((token, place) => {
    if (token.type !== 'heading_open') return [];
    const title = tokens[place + 1]!.content;
    const id = title.replace(/\W+/g, '-');
    token.attrSet('id', id);
    const link = markup`<a href="#${id}">${title}</a>`;
    return token.tag === 'h2' ? markup`<li><strong>${link}</strong></li>` : markup`<li>${link}</li>`;
  });
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return page({ title: 'Reference', wide: true }, markup`<ul class="contents">${contents}</ul>${new Markup(html)}`);
}
